import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, hasLoneSurrogate, membersOf, objectText, parseJson, withoutLoneSurrogates } from './json-text.ts';

describe('JSON as text', () => {
  it('ANT-R1: cuts values out as they were written', () => {
    const text = ' { "b" : 1.0 , "10":[1, {"x":"]}"}],"a\\"": "q\\"}" ,"n":null, "e":{} } ';
    expect([...(membersOf(text) ?? [])]).toEqual([
      ['b', '1.0'],
      ['10', '[1, {"x":"]}"}]'],
      ['a"', '"q\\"}"'],
      ['n', 'null'],
      ['e', '{}'],
    ]);
    expect(elementsOf('[ 1e3,"a,b" , [ ], {"k":[2]} ]')).toEqual(['1e3', '"a,b"', '[ ]', '{"k":[2]}']);
    expect(membersOf('[]')).toBeNull();
    expect(elementsOf('{}')).toBeNull();
  });

  it('ANT-R1: agrees with JSON.parse on every value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const members = membersOf(text);
        expect(members === null ? null : JSON.parse(objectText(members))).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (value) => {
        expect(elementsOf(JSON.stringify(value, null, 1))?.map((element) => JSON.parse(element) as unknown)).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  it('ANT-R2: replaces halves of surrogate pairs and nothing else', () => {
    expect(withoutLoneSurrogates('"\\ud83c\\udf0a 🌊 \\ud83c \\udf0a \\\\ud83c \\u0041"')).toBe(
      '"\\ud83c\\udf0a 🌊 \ufffd \ufffd \\\\ud83c \\u0041"',
    );
    expect(withoutLoneSurrogates('"a\ud83cb"')).toBe('"a\ufffdb"');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(hasLoneSurrogate(JSON.stringify(text))).toBe(false);
        expect(parseJson(withoutLoneSurrogates(JSON.stringify(`${text}\ud800`)))).toBe(`${text}\ufffd`);
      }),
    );
  });
});
