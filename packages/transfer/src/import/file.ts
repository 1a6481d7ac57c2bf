import type { Envelope } from '@bough/core';
import { BoughError } from '@bough/core';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { isSqlite } from '../sqlite/index.ts';
import { collected, conversationsOf, isPartOfConversation, kindOf } from './classify.ts';
import type { ForeignConversation } from './conversation.ts';
import { readDatabase } from './database.ts';
import type { Brought } from './files/bring.ts';
import type { Found } from './found.ts';
import { iterate } from './found.ts';
import type { JsonRecord } from './json-records/index.ts';
import { readJsonLines, readJsonRecords } from './json-records/index.ts';
import { heldOf } from './lanes.ts';
import { recordsOf } from './records.ts';
import { kindOfFile, seenIn, WHAT_HELPS } from './seen.ts';

type Bring = (conversation: ForeignConversation) => Promise<Brought>;

/** The conversations of one file, in any known format, read record by record. */
export async function* readFile(
  path: string,
  envelope: Envelope,
  onBytes: (bytes: number) => void,
  bring: Bring,
  temporaryDir?: string,
): AsyncGenerator<Found, void> {
  if (await isSqlite(path)) {
    for await (const { where, read } of readDatabase(path, { temporaryDir }))
      yield* reading(where, read, envelope, bring);
    return;
  }
  const kind = await kindOfFile(path);
  if (kind !== null) throw new BoughError('unknown_source', `${basename(path)}: This is ${kind}. ${WHAT_HELPS}`);
  yield* readRecords(path, envelope, onBytes, bring);
}

/** So many records that nobody knows, and none before them that is known: the rest is not worth reading. */
const MOST_UNKNOWN = 1_000;

async function* readRecords(
  path: string,
  envelope: Envelope,
  onBytes: (bytes: number) => void,
  bring: Bring,
): AsyncGenerator<Found, void> {
  const name = basename(path);
  const messages: unknown[] = [];
  // Told apart from a damaged export: a file in which nothing is known is another file.
  let unknown: { readonly value: unknown; readonly problems: Found[] } | null = null;
  let isKnown = false;
  const refuse = (value: unknown): never => {
    throw new BoughError(
      'unknown_source',
      `${name}: This file is of no known program. It holds ${seenIn(value)}. ${WHAT_HELPS}`,
    );
  };
  for await (const record of recordsIn(path, onBytes)) {
    const where = record.line === undefined ? `record ${record.index + 1}` : `line ${record.line}`;
    if ('error' in record) {
      yield { type: 'problem', problem: { where, message: record.error } };
      continue;
    }
    const kind = kindOf(record.value);
    if (kind === null && !isKnown) {
      unknown ??= { value: record.value, problems: [] };
      for await (const found of reading(where, () => conversationsOf(record.value, name), envelope, bring))
        unknown.problems.push(found);
      if (unknown.problems.length >= MOST_UNKNOWN) refuse(unknown.value);
      continue;
    }
    isKnown = true;
    if (unknown !== null) yield* unknown.problems.splice(0);
    if (kind !== null && isPartOfConversation(kind)) {
      messages.push(record.value);
      continue;
    }
    yield* reading(where, () => conversationsOf(record.value, `${name} ${record.index}`), envelope, bring);
  }
  if (!isKnown && unknown !== null) refuse(unknown.value);
  if (messages.length > 0) yield* reading('the messages', () => collected(messages, name), envelope, bring);
}

async function* reading(
  where: string,
  read: () => readonly ForeignConversation[],
  envelope: Envelope,
  bring: Bring,
): AsyncGenerator<Found, void> {
  const malformed = (error: unknown): Found => {
    if (!(error instanceof Error)) throw error;
    return { type: 'problem', problem: { where, message: error.message } };
  };
  let conversations: readonly ForeignConversation[];
  try {
    conversations = read();
  } catch (error) {
    return yield malformed(error);
  }
  for (const conversation of conversations) {
    // Outside: that its files cannot be stored is no fault of the conversation.
    const brought = await bring(conversation);
    let found: Found;
    try {
      found = projectOf(where, brought, envelope);
    } catch (error) {
      found = malformed(error);
    }
    yield found;
  }
}

function projectOf(where: string, { conversation, files, missing }: Brought, envelope: Envelope): Found {
  const { format, title, leftOut, problems } = conversation;
  const records = recordsOf(conversation, envelope);
  return {
    type: 'project',
    format,
    title,
    records: iterate(records),
    held: heldOf(records),
    leftOut,
    problems: problems.map((problem) => ({ ...problem, where: `${where}, ${problem.where}` })),
    attached: files,
    missing,
  };
}

async function* recordsIn(path: string, onBytes: (bytes: number) => void): AsyncGenerator<JsonRecord, void> {
  const chunks = chunksOf(path, onBytes);
  const isKnown = (value: unknown): boolean => kindOf(value) !== null;
  yield* (await isLines(path)) ? readJsonLines(chunks, { isKnown }) : readJsonRecords(chunks, { isKnown });
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
