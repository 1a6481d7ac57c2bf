import { isNestedTooDeep, isPlainObject } from '@bough/core';
import { openInside } from '@bough/store';
import { lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { ImportProblem } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { readJsonLines } from '../../json-records/index.ts';
import type { SessionFile, SessionRecord } from './session.ts';

/** Where a client keeps what is needed to know a session: the first lines. */
const HEAD_BYTES = 1 << 20;
const HEAD_RECORDS = 64;

/** The first records of a file; none of one that holds no JSON. */
export async function headRecords(path: string): Promise<readonly Fields[]> {
  if (await isWhole(path)) return (await readWhole(path, () => undefined)).records.map(({ value }) => value);
  const records: Fields[] = [];
  for await (const record of readJsonLines(chunksOf(path, HEAD_BYTES))) {
    if ('error' in record) {
      // One that is cut off by the limit, or not JSON at all.
      if (records.length === 0) return [];
      continue;
    }
    if (isPlainObject(record.value)) records.push(record.value);
    if (records.length >= HEAD_RECORDS) break;
  }
  return records;
}

/** A whole file. A line that is not JSON costs that line; the last one may just not be finished. */
export async function readSessionFile(
  path: string,
  wants: (record: Fields) => boolean,
  onBytes: (bytes: number) => void,
): Promise<SessionFile> {
  if (await isWhole(path)) return readWhole(path, onBytes);
  const records: SessionRecord[] = [];
  const problems: ImportProblem[] = [];
  let isEnded = true;
  const noted = async function* (): AsyncGenerator<string, void> {
    for await (const chunk of chunksOf(path, Number.MAX_SAFE_INTEGER)) {
      isEnded = chunk.endsWith('\n');
      onBytes(Buffer.byteLength(chunk));
      yield chunk;
    }
  };
  let last: ImportProblem | null = null;
  for await (const record of readJsonLines(noted())) {
    if (last !== null) problems.push(last);
    last = null;
    const line = record.line ?? record.index + 1;
    const where = `${basename(path)}, line ${line}`;
    if ('error' in record) last = { where, message: record.error };
    else if (!isPlainObject(record.value)) problems.push({ where, message: 'It is no object.' });
    else if (wants(record.value)) records.push({ line, value: record.value });
  }
  const isTorn = last !== null && !isEnded;
  if (last !== null && !isTorn) problems.push(last);
  return { path, records, problems, isTorn };
}

/**
 * Older versions of Gemini CLI and of Codex write one JSON value, with line breaks inside. What was piped in has no
 * name that says so.
 */
async function isWhole(path: string): Promise<boolean> {
  if (/\.jsonl?$/.test(path)) return path.endsWith('.json');
  for await (const record of readJsonLines(chunksOf(path, HEAD_BYTES))) return 'error' in record;
  return false;
}

const MAX_WHOLE_BYTES = 64 << 20;

async function readWhole(path: string, onBytes: (bytes: number) => void): Promise<SessionFile> {
  const nothing = { path, records: [], problems: [], isTorn: false };
  const size = (await lstat(path)).size;
  if (size > MAX_WHOLE_BYTES) return nothing;
  let text = '';
  for await (const chunk of chunksOf(path, MAX_WHOLE_BYTES)) text += chunk;
  onBytes(size);
  if (isNestedTooDeep(text)) return nothing;
  try {
    const value: unknown = JSON.parse(text);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const records = values.flatMap((each, at) => (isPlainObject(each) ? [{ line: at + 1, value: each }] : []));
    return { ...nothing, records };
  } catch (error) {
    // Being written, or none of the client's.
    if (error instanceof SyntaxError) return { ...nothing, isTorn: true };
    throw error;
  }
}

async function* chunksOf(path: string, most: number): AsyncGenerator<string, void> {
  // A link inside the directory was named by nobody.
  const handle = await openInside(dirname(path), basename(path));
  if (handle === null) return;
  try {
    const stream = handle.createReadStream({
      encoding: 'utf8',
      highWaterMark: 1 << 20,
      autoClose: false,
      end: most - 1,
    });
    for await (const chunk of stream) yield String(chunk);
  } finally {
    await handle.close();
  }
}
