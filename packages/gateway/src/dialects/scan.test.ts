import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementSpans, memberSpans } from './scan.ts';
import { spaced } from '../testing/json.ts';

describe('spans', () => {
  it('GW-60: the spans of an array are its elements as they were written, however it was written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.infiniteStream(fc.constantFrom('', ' ', '\n\t', '\r\n ')),
        (list, space) => {
          const text = spaced(list, space);
          const spans = elementSpans(text) ?? [];
          expect(spans.map(({ from, to }) => JSON.parse(text.slice(from, to)) as unknown)).toEqual(JSON.parse(text));
          for (const { from, to } of spans) expect(text.slice(from, to)).toBe(text.slice(from, to).trim());
        },
      ),
    );
  });

  it('GW-60: so are those of an object, and of a key that stands twice the last counts', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.infiniteStream(fc.constantFrom('', '  ')),
        (object, space) => {
          const text = spaced(object, space);
          const members = [...(memberSpans(text) ?? [])].map(([key, { from, to }]) => [
            key,
            JSON.parse(text.slice(from, to)),
          ]);
          expect(new Map(members as [string, unknown][])).toEqual(new Map(Object.entries(JSON.parse(text) as object)));
        },
      ),
    );
    const twice = '{"a":[1], "a" : [2]}';
    const span = memberSpans(twice)?.get('a');
    expect(twice.slice(span?.from, span?.to)).toBe('[2]');
  });

  it('GW-60: quotes and backslashes in strings, and brackets in them, end nothing', () => {
    const texts = ['\\', '\\\\"', '"]', '[{"', '\\"]}', 'a\\u0022'];
    const json = JSON.stringify(texts);
    expect(elementSpans(json)?.map(({ from, to }) => JSON.parse(json.slice(from, to)) as unknown)).toEqual(texts);
  });

  it('GW-60: where there is no array or object there are no spans', () => {
    expect([elementSpans('{}'), elementSpans('"[]"'), memberSpans('[]'), memberSpans('')]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
