import { join } from 'node:path';
import type { TurnId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { LogEntry } from '../../store.ts';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import { type LogFile, openLogFile, removeLogFile } from './log-file.ts';

/** The logs of a project's running turns. */
export interface StreamLogs {
  readonly append: (turn: TurnId, entries: readonly LogEntry[]) => Promise<void>;
  readonly read: (turn: TurnId, after: number, limit: number) => Promise<readonly LogEntry[]>;
  readonly remove: (turn: TurnId) => Promise<void>;
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
  const pathOf = (turn: TurnId): string => join(directory, `${fileNameOf(turn)}.jsonl`);
  const logs = new Map<TurnId, Promise<Log>>();

  let closed: Error | null = null;

  const logOf = async (turn: TurnId): Promise<Log> => {
    if (closed) throw closed;
    const log = logs.get(turn) ?? openLog(pathOf(turn));
    logs.set(turn, log);
    return log;
  };
  const release = async (log: Log): Promise<void> => {
    await log.flushing;
    await log.file.close();
  };

  return {
    append: async (turn, entries) => {
      const log = await logOf(turn);
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
    read: async (turn, after, limit) => {
      const entries = (await logOf(turn)).file.entries();
      const start = entries.findIndex(({ seq }) => seq > after);
      return start < 0 ? [] : entries.slice(start, start + limit);
    },
    remove: async (turn) => {
      const log = await logs.get(turn);
      if (log) await release(log);
      logs.delete(turn);
      await removeLogFile(pathOf(turn));
    },
    close: async (reason) => {
      closed = reason;
      for (const log of logs.values()) await release(await log);
      logs.clear();
    },
  };
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
