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
      expect(await all(readJsonRecords(chunks(`[{"a":1},[${long}],{"b":2}]`, size), 100))).toEqual([
        { index: 0, value: { a: 1 } },
        { index: 1, error: expect.stringContaining('larger') },
        { index: 2, value: { b: 2 } },
      ]);
      expect(await all(readJsonRecords(chunks(`{"a":${long}}`, size), 100))).toEqual([
        { index: 0, error: expect.stringContaining('larger') },
      ]);
      expect(await all(readJsonRecords(chunks(`[${long}`, size), 100))).toEqual([
        { index: 0, error: expect.stringContaining('larger') },
      ]);
      expect(await all(readJsonLines(chunks(`${long}\n{"b":2}\n${long}`, size), 100))).toEqual([
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
});
