import { anyMessage } from '@bough/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../blocks/index.ts';
import { messageOf } from '../messages/index.ts';
import { normalizeForComparison, stableDeepEqual, stableStringify, UnboundedValueError } from './index.ts';

describe('stableDeepEqual', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['EQ-1: the order of keys does not matter', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
    ['EQ-2: the order of an array does', [1, 2], [2, 1], false],
    ['EQ-2: so does its length', [1], [1, undefined], false],
    ['EQ-3: a key that is undefined is absent', { a: 1, b: undefined }, { a: 1 }, true],
    ['EQ-3: an absent key is not null', { a: null }, {}, false],
    [
      'EQ-4: an id that differs in one character is another call',
      { type: 'tool-use', id: 'call_1' },
      { type: 'tool-use', id: 'call_l' },
      false,
    ],
    ['EQ-4: a name that differs in case is another tool', { name: 'Search' }, { name: 'search' }, false],
    ['EQ-1: an array is not an object with the same keys', ['a'], { 0: 'a' }, false],
    ['EQ-1: a number is not its text', 1, '1', false],
    ['EQ-1: null is not an empty object', null, {}, false],
    ['EQ-1: NaN equals itself', Number.NaN, Number.NaN, true],
    ['EQ-1: keys of the prototype do not count', { toString: 1 }, {}, false],
  ])('%s', (_, a, b, expected) => {
    expect(stableDeepEqual(a, b)).toBe(expected);
    expect(stableDeepEqual(b, a)).toBe(expected);
  });

  it('EQ-5: a value that contains itself is an error, not a crash', () => {
    const a: Record<string, unknown> = {};
    a['self'] = a;
    const b: Record<string, unknown> = {};
    b['self'] = b;
    expect(() => stableDeepEqual(a, b)).toThrow(UnboundedValueError);
    expect(() => stableStringify(a)).toThrow(UnboundedValueError);
  });

  it('EQ-5: absurdly deep values are an error, not a crash', () => {
    const nest = () => {
      let value: unknown = 1;
      for (let i = 0; i < 100_000; i += 1) value = [value];
      return value;
    };
    expect(() => stableDeepEqual(nest(), nest())).toThrow(UnboundedValueError);
  });

  it('EQ-6: it is an equivalence, and equal values have the same stable text', () => {
    const value = fc.oneof(anyMessage, fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(stableDeepEqual(a, shuffleKeys(a))).toBe(true);
        expect(stableDeepEqual(a, b)).toBe(stableDeepEqual(b, a));
        if (stableDeepEqual(a, b) && stableDeepEqual(b, c)) expect(stableDeepEqual(a, c)).toBe(true);
        expect(stableStringify(a) === stableStringify(b)).toBe(stableDeepEqual(a, b));
        expect(stableStringify(shuffleKeys(a))).toBe(stableStringify(a));
      }),
    );
  });
});

describe('normalizeForComparison', () => {
  const text = (value: string): ContentBlock => ({ type: 'text', text: value });

  it('NM-1: texts are trimmed and empty ones dropped; other blocks keep their place and content', () => {
    const custom = { type: 'x-future', payload: ' kept ' };
    const call = { type: 'tool-use', id: ' c ', name: 'n', parameters: { q: ' x ' } };
    const { messages } = normalizeForComparison([messageOf('assistant', [text(' a '), custom, text(' \n'), call])]);
    expect(messages).toEqual([{ role: 'assistant', content: [text('a'), custom, call] }]);
  });

  it('NM-2: an assistant of nothing but tool calls stays', () => {
    const message = messageOf('assistant', [{ type: 'tool-use', id: 'c', name: 'n', parameters: {} }]);
    expect(normalizeForComparison([message]).messages).toEqual([message]);
  });

  it('NM-3: messages that become empty go, and the index map still points at the originals', () => {
    const list = [messageOf('user', [text('a')]), messageOf('user', [text(' ')]), messageOf('user', [text('b')])];
    const { messages, indexMap } = normalizeForComparison(list);
    expect(messages).toHaveLength(2);
    expect(indexMap).toEqual([0, 2]);
  });

  it('NM-4: normalising twice changes nothing', () => {
    fc.assert(
      fc.property(fc.array(anyMessage), (list) => {
        const once = normalizeForComparison(list).messages;
        expect(normalizeForComparison(once).messages).toEqual(once);
      }),
    );
  });
});

function shuffleKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffleKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, unknown] => [key, shuffleKeys(inner)])
      .reverse(),
  );
}
