import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { LogEntry } from '../../store.ts';
import { diskTrouble, hasCode } from '../../on-disk/disk/index.ts';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import { type LogFile, openLogFile, removeLogFile } from './log-file.ts';

/**
 * The logs of a project's running turns. A turn that is reopened begins a new one, in a file of its own: the record
 * that says how often it was reopened says which of them counts, so the old one is gone in the same write.
 */
export interface StreamLogs {
  readonly append: (turn: TurnId, reopened: number, entries: readonly LogEntry[]) => Promise<void>;
  readonly read: (turn: TurnId, reopened: number, after: number, limit: number) => Promise<readonly LogEntry[]>;
  /** Removes the logs of a turn: all of them, or those from before it was reopened for the given time. */
  readonly remove: (turn: TurnId, before?: number) => Promise<void>;
  /** Finishes what is under way. Later callers are told why the logs are gone. */
  readonly close: (reason: Error) => Promise<void>;
}

interface Append {
  readonly entries: readonly LogEntry[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Log {
  readonly file: LogFile;
  /** The highest number that was accepted, on the disk or on its way. */
  last: number;
  waiting: Append[];
  flushing: Promise<void> | null;
}

export function createStreamLogs(gitDir: string): StreamLogs {
  const directory = join(gitDir, 'bough', 'log');
  const nameOf = (turn: TurnId, reopened: number): string =>
    `${fileNameOf(turn)}${reopened === 0 ? '' : `@${reopened}`}.jsonl`;
  /** By the names of their files. */
  const logs = new Map<string, Promise<Log>>();

  let closed: Error | null = null;

  const logOf = async (turn: TurnId, reopened: number): Promise<Log> => {
    if (closed) throw closed;
    const name = nameOf(turn, reopened);
    const log = logs.get(name) ?? openLog(join(directory, name));
    logs.set(name, log);
    return log;
  };
  const release = async (log: Log): Promise<void> => {
    await log.flushing;
    await log.file.close();
  };

  return {
    append: async (turn, reopened, entries) => {
      const log = await logOf(turn, reopened);
      // It may have been closed while it was being opened: nothing may be written where a deleted project was.
      if (closed) throw closed;
      if (entries.length === 0) return;
      log.last = requireNext(turn, log.last, entries);
      const kept = entries.map(({ seq, data }) => ({ seq, data }));
      await new Promise<void>((resolve, reject) => {
        log.waiting.push({ entries: kept, resolve, reject });
        log.flushing ??= flush(log);
      });
    },
    read: async (turn, reopened, after, limit) => {
      const entries = (await logOf(turn, reopened)).file.entries();
      const start = entries.findIndex(({ seq }) => seq > after);
      return start < 0 ? [] : entries.slice(start, start + limit);
    },
    remove: async (turn, before = Number.POSITIVE_INFINITY) => {
      const names = new Set([...logs.keys(), ...(await namesIn(directory))]);
      for (const name of names) {
        const reopened = reopenedOf(name, fileNameOf(turn));
        if (reopened === null || reopened >= before) continue;
        const log = await logs.get(name);
        if (log) await release(log);
        logs.delete(name);
        await removeLogFile(join(directory, name));
      }
    },
    close: async (reason) => {
      closed = reason;
      for (const log of logs.values()) await release(await log);
      logs.clear();
    },
  };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw diskTrouble(directory, error);
  }
}

/** Which log of a turn a file is; null for a log of another. */
function reopenedOf(file: string, turn: string): number | null {
  if (!file.startsWith(turn)) return null;
  const rest = /^(?:@(\d+))?\.jsonl$/.exec(file.slice(turn.length));
  return rest && Number(rest[1] ?? 0);
}

async function openLog(path: string): Promise<Log> {
  const file = await openLogFile(path);
  return { file, last: file.entries().at(-1)?.seq ?? 0, waiting: [], flushing: null };
}

/** Group commit: what arrives while one commit is under way is part of the next. */
async function flush(log: Log): Promise<void> {
  while (log.waiting.length > 0) {
    const group = log.waiting;
    log.waiting = [];
    try {
      await log.file.append(group.map(({ entries }) => entries));
      for (const { resolve } of group) resolve();
    } catch (error) {
      // Later numbers build on those that failed: all of them are free again.
      const failed = [...group, ...log.waiting];
      log.waiting = [];
      log.last = log.file.entries().at(-1)?.seq ?? 0;
      for (const { reject } of failed) reject(error);
    }
  }
  log.flushing = null;
}

/** Returns the last of the numbers. */
function requireNext(turn: TurnId, last: number, entries: readonly LogEntry[]): number {
  let before = last;
  for (const { seq } of entries) {
    if (seq <= before) {
      throw new ConflictError('id_taken', `The log of the turn ${turn} already has the number ${seq}.`, String(seq));
    }
    before = seq;
  }
  return before;
}
