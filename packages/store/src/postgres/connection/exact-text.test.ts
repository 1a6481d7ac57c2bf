import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromStorable, parseStoredJson, storableParameter, toStorable } from './exact-text.ts';

const anyString = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });

test('PG-10: every string survives, and what is stored is storable', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyString,
        anyString.map((text) => `\u0001${text}\u0001\u0000`),
      ),
      (text) => {
        const stored = toStorable(text);
        expect(fromStorable(stored)).toBe(text);
        expect(stored).not.toContain('\0');
        expect(Buffer.from(stored, 'utf8').toString('utf8')).toBe(stored);
      },
    ),
    { numRuns: 2000 },
  );
});

test('PG-10: ordinary strings are stored as they are', () => {
  for (const text of ['', 'plain', '👩‍👩‍👧‍👦', 'a\u0001b', '\u2028\ufeff']) expect(toStorable(text)).toBe(text);
});

test('PG-10: parameters are made storable inside arrays, and nothing but strings is touched', () => {
  const bytes = Buffer.from([0, 1]);
  expect(storableParameter(['a\0', ['\ud800'], 1, null])).toStrictEqual([
    '\u0001a\u00010000',
    ['\u0001\u0001d800'],
    1,
    null,
  ]);
  expect(storableParameter(bytes)).toBe(bytes);
});

test('PG-10: JSON made by the database is read like its columns', () => {
  const made = JSON.stringify({ id: toStorable('half \udfff'), list: [toStorable('\0'), 'plain'] });
  expect(parseStoredJson(made)).toStrictEqual({ id: 'half \udfff', list: ['\0', 'plain'] });
});
