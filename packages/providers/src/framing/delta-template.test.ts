import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeltaTemplate } from './delta-template.ts';

const event = (text: string, number: number) =>
  JSON.stringify({ type: 'delta', sequence_number: number, delta: { text }, pad: 'x'.repeat(number % 7), of: 'a.b*c' });

function learned(): DeltaTemplate {
  const template = new DeltaTemplate(['sequence_number', 'pad']);
  template.learn(event('first words', 1), 'first words');
  return template;
}

describe('the template of a delta', () => {
  it('TPL-1: whatever it recognises is what parsing gives', () => {
    const template = learned();
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('"', '\\', '\n', '\u2028', '', '\ud83d', 'say "it"', '\n\n', '\\"'),
    );
    let recognised = 0;
    fc.assert(
      fc.property(texts, fc.nat(), (text, number) => {
        const data = event(text, number);
        const found = template.match(data);
        if (found === null) return;
        recognised += 1;
        expect(found).toBe((JSON.parse(data) as { delta: { text: string } }).delta.text);
      }),
    );
    expect(recognised).toBeGreaterThan(20);
  });

  it('TPL-2: another member, another order, another value or anything behind it is not recognised', () => {
    const template = learned();
    expect(template.match(event('second', 22))).toBe('second');
    for (const data of [
      event('second', 2).replace('"type":"delta"', '"type":"other"'),
      event('second', 2).replace('}', ',"more":1}'),
      event('second', 2).replace('a.b*c', 'a-b*c'),
      `${event('second', 2)} `,
      event('second', 2).replace('"sequence_number":2', '"sequence_number":-2'),
      event('second', 2).replace('second', String.raw`sec\u00ond`),
      event('second', 2).replace('second', String.raw`sec\xnd`),
      event('second', 2).replace('second', 'second\\'),
      event('x'.repeat(5_000), 2).replace('x', String.raw`\n`),
      event('second', 2).replace('second', 'sec"ond'),
    ]) {
      expect(template.match(data)).toBeNull();
    }
  });

  it('TPL-3: a string without a place of its own is not learned, and what was learned before still holds', () => {
    const template = new DeltaTemplate();
    expect(template.match(event('second', 2))).toBeNull();
    expect(template.learn(event('delta', 2), 'delta')).toBe(false);
    expect(template.learn(event('say "it"', 2), 'say "it"')).toBe(false);
    expect(template.learn(event('', 2), '')).toBe(false);
    expect(template.learn(String.raw`{"delta":"caf\u00e9","of":"café"}`, 'café')).toBe(false);
    expect(template.match(event('second', 2))).toBeNull();
    expect(template.learn(event('first', 2), 'first')).toBe(true);
    expect(template.learn(event('delta', 2), 'delta')).toBe(false);
    expect(template.match(event('second', 2))).toBe('second');
    expect(template.match(event('second', 3))).toBeNull();
  });
});

it('TPL-1: also where nothing of changing length stands before the string', () => {
  const written = (text: string, number: number) => JSON.stringify({ delta: text, sequence_number: number });
  const template = new DeltaTemplate(['sequence_number']);
  expect(template.learn(written('first', 9), 'first')).toBe(true);
  expect(template.match(written('second (2)', 10))).toBe('second (2)');
  expect(template.match(written('a \\ "b"\n', 10))).toBe('a \\ "b"\n');
  expect(template.match(written('x', 10).replace('x', String.raw`caf\u00e9`))).toBe('café');
  expect(template.match(written('', 10))).toBeNull();
});
