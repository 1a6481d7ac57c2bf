import { describe, expect, it } from 'vitest';
import type { JsonRecord } from './index.ts';
import { readJsonLines, readJsonRecords } from './index.ts';

async function* chunks(text: string, size: number): AsyncGenerator<string, void> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function all(records: AsyncIterable<JsonRecord>): Promise<JsonRecord[]> {
  const found: JsonRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
}

const VALUES = [{ a: ['x]', '{"', '\\"'], b: { c: [1, [2]] } }, [], 'te,xt]', 3, null, { deep: [[[{}]]] }, '\\'];

describe('elements of a list', () => {
  it('IM-1: are the same wherever the file is cut', async () => {
    const text = `\uFEFF \n${JSON.stringify(VALUES, null, 2)}\n`;
    for (let size = 1; size <= 40; size += 1) {
      const found = await all(readJsonRecords(chunks(text, size)));
      expect(found).toEqual(VALUES.map((value, index) => ({ index, value })));
    }
  });

  it('IM-1: a file that is no list is one record, an empty list is none', async () => {
    expect(await all(readJsonRecords(chunks('{"a": [1, 2]}', 3)))).toEqual([{ index: 0, value: { a: [1, 2] } }]);
    expect(await all(readJsonRecords(chunks(' [ ] ', 1)))).toEqual([]);
  });

  it('IM-2: one that is not JSON is named, and the next is read', async () => {
    const found = await all(readJsonRecords(chunks('[{"a":1},{"b":nope},{"c":3}]', 4)));
    expect(found[1]).toMatchObject({ index: 1, error: expect.stringContaining('not valid JSON') });
    expect(found[2]).toEqual({ index: 2, value: { c: 3 } });
  });

  it('IM-2: a file that was cut off says so', async () => {
    const found = await all(readJsonRecords(chunks('[{"a":1},', 4)));
    expect(found.at(-1)).toMatchObject({ error: expect.stringContaining('in the middle') });
    expect((await all(readJsonRecords(chunks('[{"a":1},{"b"', 4)))).at(-1)).toHaveProperty('error');
  });

  it('IM-1: lines are values of their own, and carry their number', async () => {
    const found = await all(readJsonLines(chunks('{"a":1}\n\nnope\r\n{"b":2}', 3)));
    expect(found).toEqual([
      { index: 0, value: { a: 1 }, line: 1 },
      { index: 1, error: expect.any(String), line: 3 },
      { index: 2, value: { b: 2 }, line: 4 },
    ]);
  });

  it('IM-19: one that is too long is named and not held, wherever the file is cut; the next is read', async () => {
    const long = `"${'x'.repeat(200)}"`;
    for (const size of [1, 7, 1000]) {
      expect(await all(readJsonRecords(chunks(`[{"a":1},[${long}],{"b":2}]`, size), { longest: 100 }))).toEqual([
        { index: 0, value: { a: 1 } },
        { index: 1, error: expect.stringContaining('larger') },
        { index: 2, value: { b: 2 } },
      ]);
      expect(await all(readJsonRecords(chunks(`{"a":${long}}`, size), { longest: 100 }))).toEqual([
        { index: 0, error: expect.stringContaining('larger') },
      ]);
      expect(await all(readJsonRecords(chunks(`[${long}`, size), { longest: 100 }))).toEqual([
        { index: 0, error: expect.stringContaining('larger') },
      ]);
      expect(await all(readJsonLines(chunks(`${long}\n{"b":2}\n${long}`, size), { longest: 100 }))).toEqual([
        { index: 0, error: expect.stringContaining('larger'), line: 1 },
        { index: 1, value: { b: 2 }, line: 2 },
        { index: 2, error: expect.stringContaining('larger'), line: 3 },
      ]);
    }
  });

  it('IM-19: one that is nested too deep is named; the next is read', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    for (const found of [
      await all(readJsonRecords(chunks(`[${deep},1]`, 999))),
      await all(readJsonLines(chunks(`${deep}\n1`, 999))),
    ]) {
      expect(found).toMatchObject([{ error: expect.stringContaining('nested deeper') }, { value: 1 }]);
    }
  });

  const record = (id: number): object => ({
    title: `Number ${id}`,
    create_time: id,
    mapping: { a: { id: 'a', parts: ['x', { title: 'A page', url: 'https://example.org' }] } },
    links: [{ title: 'Inner', url: 'https://example.org' }],
    current_node: 'a',
  });
  const isKnown = (value: unknown): boolean => typeof value === 'object' && value !== null && 'mapping' in value;
  const titles = (found: readonly JsonRecord[]): readonly unknown[] =>
    found.map((each) => ('error' in each ? 'torn' : (each.value as { title: unknown }).title));

  it.each([
    ['compact', (list: readonly object[]) => JSON.stringify(list)],
    ['indented', (list: readonly object[]) => JSON.stringify(list, null, 2)],
  ])('IM-140: a torn record loses itself alone, wherever it is cut: %s', async (_, write) => {
    const text = write([1, 2, 3, 4].map(record));
    for (const torn of [1, 2]) {
      const start = text.indexOf(`"Number ${torn}"`);
      const end = text.lastIndexOf('{', text.indexOf(`"Number ${torn + 1}"`));
      const last = text.lastIndexOf('}', end);
      const others = [1, 2, 3, 4].filter((id) => id !== torn).map((id) => `Number ${id}`);
      for (let at = start + 1; at < last; at += 1) {
        for (const cut of [text.slice(0, at) + text.slice(end), text.slice(0, at) + text.slice(at + 1)]) {
          const found = titles(await all(readJsonRecords(chunks(cut, 37), { isKnown })));
          // One character less may still be JSON.
          expect(
            found.filter((title) => others.includes(String(title))),
            cut,
          ).toEqual(others);
          expect(found.length, cut).toBeLessThanOrEqual(6);
          if (cut.length < text.length - 1) expect(found).toContain('torn');
        }
      }
    }
  });

  it('IM-140: records after a torn one that swallows more than can be held are found', async () => {
    const list = JSON.stringify(Array.from({ length: 40 }, (__, index) => record(index)));
    const start = list.indexOf('"parts":["x",', list.indexOf('"Number 3"')) + 13;
    const torn = list.slice(0, start) + list.slice(list.indexOf('{"title":"Number 4"'));
    const found = titles(await all(readJsonRecords(chunks(torn, 64), { longest: 1_000 })));
    expect(found.filter((title) => title !== 'torn')).toHaveLength(39);
    expect(found.filter((title) => title === 'torn')).toHaveLength(1);
  });

  it('IM-140: two torn records are both named, and so is a missing comma', async () => {
    const texts = [1, 2, 3, 4, 5].map((id) => JSON.stringify(record(id)));
    const [one = '', two = '', three = '', four = '', five = ''] = texts;
    const torn = `[${one},${two.slice(0, 40)},${three.slice(0, 50)},${four}${five}]`;
    const found = titles(await all(readJsonRecords(chunks(torn, 11))));
    expect(found).toEqual(['Number 1', 'torn', 'torn', 'Number 4', 'torn', 'Number 5']);
  });

  it('IM-140: the last one, if the file ends in it, is named once', async () => {
    const text = [1, 2].map((id) => JSON.stringify(record(id))).join(', ');
    expect(titles(await all(readJsonRecords(chunks(`[${text.slice(0, -30)}`, 50))))).toEqual(['Number 1', 'torn']);
  });

  it('IM-140: a line that lost its end loses itself alone', async () => {
    const [one = '', two = '', three = ''] = [1, 2, 3].map((id) => JSON.stringify(record(id)));
    const found = titles(await all(readJsonLines(chunks(`${one}\n${two.slice(0, 60)}${three}\n${one}`, 9))));
    expect(found).toEqual(['Number 1', 'torn', 'Number 3', 'Number 1']);
  });
});
