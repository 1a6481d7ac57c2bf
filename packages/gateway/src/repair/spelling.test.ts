import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { respelled } from './spelling.ts';

/** JSON as no program would write it: other escapes, spaces, numbers. */
const ODD = '{ "a" : [1.0, 1e2,\n{"k":"\\u0041\\"]", "l":{}} , [ ] ], "b":"x\\\\", "c" : null ,"d":-0.50}';

describe('spelling', () => {
  it('GW-40: what did not change keeps its spelling, to the byte', () => {
    const before = JSON.parse(ODD) as Record<string, unknown>;
    expect(respelled(ODD, before, before)).toBe(ODD);
    expect(respelled(ODD, before, { ...before, b: 'new' })).toBe(
      '{"a":[1.0, 1e2,\n{"k":"\\u0041\\"]", "l":{}} , [ ] ],"b":"new","c":null,"d":-0.50}',
    );
    const list = before['a'] as unknown[];
    expect(respelled(ODD, before, { ...before, a: [list[2], { new: 1 }] })).toBe(
      '{"a":[{"k":"\\u0041\\"]", "l":{}},{"new":1}],"b":"x\\\\","c":null,"d":-0.50}',
    );
  });

  it('GW-40: a part that is equal but not the same object keeps its spelling too', () => {
    const text = '[{"b":1.0,"a":2},{"c":3}]';
    expect(respelled(text, JSON.parse(text), [{ a: 2, b: 1 }, { c: 4 }])).toBe('[{"b":1.0,"a":2},{"c":4}]');
    expect(respelled(text, JSON.parse(text), [{ c: 3 }, { b: 1, a: 2 }])).toBe('[{"c":3},{"b":1.0,"a":2}]');
  });

  it('GW-40: whatever is changed, the text says what was meant', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.nat(4), (before, after, indent) => {
        const text = JSON.stringify(before, null, indent);
        const meant: unknown = JSON.parse(JSON.stringify(after));
        expect(JSON.parse(respelled(text, JSON.parse(text), meant))).toStrictEqual(meant);
      }),
    );
  });
});
