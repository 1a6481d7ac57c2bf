import type { Envelope } from '@bough/core';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { collected, conversationsOf, isPartOfConversation, kindOf } from './classify.ts';
import type { ForeignConversation } from './conversation.ts';
import type { Found } from './found.ts';
import { iterate } from './found.ts';
import type { JsonRecord } from './json-records/index.ts';
import { readJsonLines, readJsonRecords } from './json-records/index.ts';
import { recordsOf } from './records.ts';

/** The conversations of one file, in any known format, read record by record. */
export async function* readFile(
  path: string,
  envelope: Envelope,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Found, void> {
  const name = basename(path);
  const messages: unknown[] = [];
  for await (const record of recordsIn(path, onBytes)) {
    const where = record.line === undefined ? `record ${record.index + 1}` : `line ${record.line}`;
    if ('error' in record) {
      yield { type: 'problem', problem: { where, message: record.error } };
      continue;
    }
    const kind = kindOf(record.value);
    if (kind !== null && isPartOfConversation(kind)) {
      messages.push(record.value);
      continue;
    }
    yield* reading(where, () => conversationsOf(record.value, `${name} ${record.index}`), envelope);
  }
  if (messages.length > 0) yield* reading('the messages', () => [collected(messages, name)], envelope);
}

async function* reading(
  where: string,
  read: () => readonly ForeignConversation[],
  envelope: Envelope,
): AsyncGenerator<Found, void> {
  let found: readonly Found[];
  try {
    found = read().map((conversation) => projectOf(where, conversation, envelope));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    found = [{ type: 'problem', problem: { where, message: error.message } }];
  }
  yield* found;
}

function projectOf(where: string, conversation: ForeignConversation, envelope: Envelope): Found {
  const { format, title, leftOut, problems } = conversation;
  return {
    type: 'project',
    format,
    title,
    records: iterate(recordsOf(conversation, envelope)),
    leftOut,
    problems: problems.map((problem) => ({ ...problem, where: `${where}, ${problem.where}` })),
  };
}

async function* recordsIn(path: string, onBytes: (bytes: number) => void): AsyncGenerator<JsonRecord, void> {
  yield* (await isLines(path)) ? readJsonLines(chunksOf(path, onBytes)) : readJsonRecords(chunksOf(path, onBytes));
}

async function* chunksOf(path: string, onBytes: (bytes: number) => void): AsyncGenerator<string, void> {
  let read = 0;
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const text = String(chunk);
    read += Buffer.byteLength(text);
    onBytes(read);
    yield text;
  }
}

const SNIFFED = 1 << 20;

/** Lines of JSON: the file is not a list, and its first line is a complete value with more after it. */
async function isLines(path: string): Promise<boolean> {
  if (/\.(jsonl|ndjson)$/i.test(path)) return true;
  let start = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', end: SNIFFED })) start += String(chunk);
  const text = start.trimStart();
  const end = text.indexOf('\n');
  if (text.startsWith('[') || end < 0 || text.slice(end).trim() === '') return false;
  try {
    JSON.parse(text.slice(0, end));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
