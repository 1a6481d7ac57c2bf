import { type FileHandle, mkdir, open, rm, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LogEntry } from '../../store.ts';
import { diskTrouble, readIfThere } from '../../on-disk/disk/index.ts';
import { corrupt } from '../meta/records.ts';

/**
 * The log of one running turn: a plain file to which lines are only ever added. A line holds one append, so that an
 * append is there whole or, if a crash cut its line, not at all.
 */
export interface LogFile {
  /** What is on the disk. */
  readonly entries: () => readonly LogEntry[];
  /** Resolves when all of it is on the disk; on failure, none of it is. */
  readonly append: (appends: readonly (readonly LogEntry[])[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openLogFile(path: string): Promise<LogFile> {
  const stored = await readLog(path);
  const entries = [...stored.entries];
  let { length } = stored;
  let handle: FileHandle | null = null;

  return {
    entries: () => entries,
    append: async (appends) => {
      const bytes = Buffer.concat(appends.map(lineOf));
      try {
        handle ??= await openToAppend(path);
        try {
          await handle.appendFile(bytes);
          await handle.datasync();
        } catch (cause) {
          // Part of it may have been written. Truncating a file needs no space.
          await handle.truncate(length);
          throw cause;
        }
      } catch (cause) {
        throw diskTrouble(path, cause);
      }
      length += bytes.length;
      entries.push(...appends.flat());
    },
    close: async () => {
      await handle?.close();
      handle = null;
    },
  };
}

export const removeLogFile = (path: string): Promise<void> => rm(path, { force: true });

async function openToAppend(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true });
  return open(path, 'a');
}

function lineOf(entries: readonly LogEntry[]): Buffer {
  return Buffer.from(`${JSON.stringify(entries.map(({ seq, data }) => [seq, data]))}\n`);
}

/** Reads the whole lines, and cuts off a line that a crash left incomplete. */
async function readLog(path: string): Promise<{ readonly entries: readonly LogEntry[]; readonly length: number }> {
  const bytes = (await readIfThere(path)) ?? Buffer.alloc(0);
  const length = bytes.lastIndexOf(0x0a) + 1;
  if (length < bytes.length) await truncate(path, length);
  const lines = bytes.toString('utf8', 0, length).split('\n').slice(0, -1);
  return { length, entries: lines.flatMap((line, at) => parseLine(line, `${path} line ${at + 1}`)) };
}

function parseLine(line: string, subject: string): readonly LogEntry[] {
  try {
    const entries: unknown = JSON.parse(line);
    if (Array.isArray(entries)) return entries.map((entry: [number, string]) => ({ seq: entry[0], data: entry[1] }));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw corrupt(subject, 'is not a line of a log');
}
