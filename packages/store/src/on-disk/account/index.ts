import { constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call, CallId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { AccountLine, ModelSpending, SpendingQuery } from '../../spending.ts';
import { isWanted, lineOf, spendingOf, summed } from '../../spending.ts';
import type { Modes } from '../disk/index.ts';
import { diskTrouble, syncDirectory } from '../disk/index.ts';
import { namesInside, openNoLink, reachInside, readInside } from '../inside/index.ts';

/**
 * What calls used, one file per day, one line per call. A line is durable before its call is stored and names it: a
 * call that is stored again, because its server died in between, is counted once. Deleting a conversation does not
 * give its money back, so nothing here is ever removed.
 */
export interface Account {
  readonly add: (calls: readonly Call[]) => Promise<void>;
  readonly spending: (query: SpendingQuery) => Promise<readonly ModelSpending[]>;
  /** Resolves when nothing is being written. */
  readonly settled: () => Promise<void>;
}

interface Day {
  readonly calls: Set<CallId>;
  lines: readonly AccountLine[];
  /** Whether what is written next begins on a line of its own: a crash may have torn the last one. */
  isTorn: boolean;
}

const FILE = /^(\d{4}-\d\d-\d\d)\.jsonl$/;

/** `path` is inside `base`, which is given without links. */
export function accountAt(base: string, path: string, modes: Modes): Account {
  const days = new Map<string, Promise<Day>>();
  let last: Promise<unknown> = Promise.resolve();
  const fileOf = (day: string): string => `${path}/${day}.jsonl`;
  const read = (day: string): Promise<Day> => {
    const found = days.get(day) ?? readDay(base, fileOf(day), day);
    days.set(day, found);
    // What could not be read is read again the next time.
    found.catch(() => days.delete(day));
    return found;
  };
  const append = async (name: string, calls: readonly Call[]): Promise<void> => {
    const day = await read(name);
    const fresh = calls.filter(({ id }) => !day.calls.has(id));
    if (fresh.length === 0) return;
    const entries = fresh.map((call) => ({ call: call.id, ...lineOf(call) }));
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    const start = day.isTorn ? '\n' : '';
    day.isTorn = true;
    await write(base, fileOf(name), `${start}${text}`, modes);
    day.isTorn = false;
    for (const { id } of fresh) day.calls.add(id);
    day.lines = summed([...day.lines, ...fresh.map(lineOf)]);
  };
  return {
    add: (calls) => {
      const byDay = new Map<string, Call[]>();
      for (const call of calls) {
        const { day } = lineOf(call);
        byDay.set(day, [...(byDay.get(day) ?? []), call]);
      }
      const all = async (): Promise<void> => {
        for (const [day, some] of byDay) await append(day, some);
      };
      const mine = last.then(all);
      // The next writer waits for this one, whether or not it fails; its failure is reported to its own caller.
      last = mine.catch(() => undefined);
      return mine;
    },
    spending: async (query) => {
      await last;
      const names = (await namesInside(base, path)).flatMap((name) => FILE.exec(name)?.[1] ?? []);
      const wanted = names.filter((name) => isWanted(name, query));
      const lines = (await Promise.all(wanted.map(read))).flatMap((day) => day.lines);
      return spendingOf(lines, query);
    },
    settled: async () => void (await last),
  };
}

async function readDay(base: string, file: string, name: string): Promise<Day> {
  const text = (await readInside(base, file, (bytes) => bytes.toString('utf8'))) ?? '';
  const calls = new Set<CallId>();
  const lines: AccountLine[] = [];
  for (const each of text.split('\n')) {
    const entry = entryOf(each, name);
    if (entry === null || calls.has(entry.call)) continue;
    calls.add(entry.call);
    lines.push(entry.line);
  }
  return { calls, lines: summed(lines), isTorn: text !== '' && !text.endsWith('\n') };
}

/** Lines of earlier versions do not tell these apart. */
const UNTOLD = { cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
const NUMBERS = ['calls', 'uncounted', 'unpriced', 'inputTokens', 'outputTokens', 'cost', ...Object.keys(UNTOLD)];

/** Null for what a crash tore, or somebody's hand spoiled. */
function entryOf(text: string, day: string): { readonly call: CallId; readonly line: AccountLine } | null {
  const value = parsed(text);
  if (!isPlainObject(value) || value['day'] !== day) return null;
  const { call, ...line }: Readonly<Record<string, unknown>> = { ...UNTOLD, ...value };
  const texts = [call, line['project'], line['client'], line['provider'], line['model']];
  const numbers = NUMBERS.map((name) => line[name]);
  const isWhole =
    texts.every((each) => typeof each === 'string') &&
    numbers.every((each) => typeof each === 'number' && Number.isFinite(each) && each >= 0);
  // Every field was looked at.
  return isWhole ? { call: call as CallId, line: line as Partial<AccountLine> as AccountLine } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function write(base: string, file: string, text: string, modes: Modes): Promise<void> {
  const path = await reachInside(base, file);
  const directory = join(path, '..');
  try {
    await mkdir(directory, { recursive: true, mode: modes.directory });
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
    const handle = await openNoLink(path, flags, modes.file);
    try {
      const isNew = (await handle.stat()).size === 0;
      await handle.writeFile(text);
      await handle.datasync();
      if (isNew) await syncDirectory(directory);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw diskTrouble(path, error);
  }
}
