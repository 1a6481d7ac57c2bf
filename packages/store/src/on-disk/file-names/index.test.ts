import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileNameOf, idOfFileName } from './index.ts';

const AWKWARD = [
  '',
  '.',
  '..',
  '.git',
  'GIT~1',
  'x.lock',
  'a/b',
  'A',
  '%',
  '%2F',
  '%u',
  'a b',
  '\u0000',
  '\ud800',
  'Bäume 🌳',
];

const id = fc.oneof(
  fc.constantFrom(...AWKWARD),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: fc.constantFrom('a', 'A', '/', '.', '%', '2', 'F', ' ', '-', '\ud800', 'é'), maxLength: 20 }),
);

describe('file names', () => {
  test('FS-9: a file name is safe everywhere and gives the id back', () => {
    fc.assert(
      fc.property(id, (value) => {
        const file = fileNameOf(value);
        expect(file).toMatch(/^([a-z0-9_-]|%(u?[0-9A-F]+)?)([a-z0-9_.-]|%u?[0-9A-F]+)*$/);
        expect(idOfFileName(file)).toBe(value);
      }),
      { numRuns: 2000 },
    );
  });

  test('FS-9: two ids never share a file, also where case does not count', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        fc.pre(a !== b);
        expect(fileNameOf(a).toLowerCase()).not.toBe(fileNameOf(b).toLowerCase());
      }),
      { numRuns: 2000 },
    );
  });

  test('FS-9: a very long id fits into a file name, stays apart from its like, and is known to be lost', () => {
    const long = 'ä'.repeat(300);
    expect(Buffer.byteLength(fileNameOf(long))).toBeLessThanOrEqual(200);
    expect(fileNameOf(long)).not.toBe(fileNameOf(`${long}b`));
    expect(idOfFileName(fileNameOf(long))).toBeNull();
  });
});
