import { constants } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { diskTrouble, syncDirectory } from '../../on-disk/disk/index.ts';
import type { Modes } from '../../on-disk/disk/index.ts';
import { readPlain } from '../../on-disk/inside/index.ts';
import type { FileChange } from './change.ts';
import { changesOf, recordOf } from './record.ts';
import type { Secret, Signer } from './secret.ts';

/** An append whose offset is known only when its turn in the queue comes: an earlier one may fail. */
export type QueuedChange = FileChange | { readonly type: 'append'; readonly path: string; readonly text: string };

/**
 * The write-ahead journal, which makes a change of many files a single change. A change is durable when its line is on
 * the disk; the files follow. Changes requested while a line is being written share the next one.
 */
export interface Journal {
  /** Resolves when durable. Calls are journaled in the order in which they were made. */
  readonly commit: (changes: readonly QueuedChange[]) => Promise<void>;
  /**
   * Starts a new segment if the current one is not empty. Everything before it may be forgotten once it is in the
   * files.
   */
  readonly rotate: () => Promise<number>;
  /** Removes the segments before this one. */
  readonly forget: (before: number) => Promise<void>;
  /** Bytes in the current segment. */
  readonly size: () => number;
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly changes: readonly QueuedChange[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** A segment is read as one string, so it can be no longer than one. */
const SEGMENT_LIMIT = constants.MAX_STRING_LENGTH;

const SEGMENT = /^(\d{8})\.jsonl$/;

export const isSegment = (name: string): boolean => SEGMENT.test(name);

/** Either this store signed every line, or this is an error and none of it counts. */
export async function readJournal(directory: string, signer: Signer | null): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  for (const number of await segmentsOf(directory)) {
    const path = join(directory, nameOf(number));
    const read = await readPlain(path, (bytes) => changesOf(path, bytes.toString('utf8'), signer), SEGMENT_LIMIT);
    for (const change of read ?? []) changes.push(change);
  }
  return changes;
}

/**
 * `onDurable` is called with what became durable before anyone waiting for it continues; `sizes`: the lengths of the
 * files that are appended to.
 */
export async function openJournal(
  directory: string,
  onDurable: (changes: readonly FileChange[]) => void,
  sizes: Map<string, number>,
  { secret, modes }: { readonly secret: Secret; readonly modes: Modes },
): Promise<Journal> {
  await mkdir(directory, { recursive: true, mode: modes.directory });
  let number = ((await segmentsOf(directory)).at(-1) ?? 0) + 1;
  let handle: FileHandle | null = null;
  let length = 0;
  let queue: Waiting[] = [];
  let working = false;
  let rotations: Pick<Waiting, 'resolve' | 'reject'>[] = [];
  let broken: unknown = null;

  const current = async (): Promise<FileHandle> => {
    if (handle) return handle;
    handle = await open(join(directory, nameOf(number)), 'wx', modes.file);
    await syncDirectory(directory);
    return handle;
  };

  async function write(group: readonly Waiting[]): Promise<void> {
    const grown = new Map<string, number>();
    const changes = group.flatMap((waiting) => waiting.changes).map((change) => withOffset(change, sizes, grown));
    const bytes = Buffer.from(recordOf(changes, await secret.obtain()));
    const file = await current();
    try {
      await writeFully(file, bytes, length);
      await file.datasync();
    } catch (error) {
      await undo(file, error);
      throw error;
    }
    length += bytes.length;
    for (const [path, size] of grown) sizes.set(path, size);
    onDurable(changes);
  }

  // Half a line must not stay before the next one. If removing it fails too, every later commit is refused.
  async function undo(file: FileHandle, reason: unknown): Promise<void> {
    try {
      await file.truncate(length);
      await file.datasync();
    } catch {
      broken = reason;
    }
  }

  async function startSegment(): Promise<void> {
    if (!handle || length === 0) return;
    const old = handle;
    handle = null;
    length = 0;
    number += 1;
    await old.close();
  }

  // One thing at a time, in the order requested; a rotation never waits for the queue to run dry.
  async function work(): Promise<void> {
    while (queue.length > 0 || rotations.length > 0) {
      if (rotations.length > 0) {
        const waiting = rotations;
        rotations = [];
        try {
          await startSegment();
          for (const { resolve } of waiting) resolve();
        } catch (error) {
          for (const { reject } of waiting) reject(diskTrouble(directory, error));
        }
        continue;
      }
      const group = queue;
      queue = [];
      try {
        if (broken !== null) throw broken;
        await write(group);
        for (const waiting of group) waiting.resolve();
      } catch (error) {
        const reason = diskTrouble(join(directory, nameOf(number)), error);
        // Requests that came meanwhile relied on this group: log lines would follow a gap.
        const failed = [...group, ...queue];
        queue = [];
        for (const waiting of failed) waiting.reject(reason);
      }
    }
    working = false;
  }

  function start(): void {
    if (working) return;
    working = true;
    void work();
  }

  const rotate = (): Promise<number> =>
    new Promise<void>((resolve, reject) => {
      rotations.push({ resolve, reject });
      start();
    }).then(() => number);

  return {
    commit: (changes) =>
      new Promise<void>((resolve, reject) => {
        queue.push({ changes, resolve, reject });
        start();
      }),
    rotate,
    forget: async (before) => {
      for (const old of await segmentsOf(directory)) if (old < before) await rm(join(directory, nameOf(old)));
      await syncDirectory(directory);
    },
    size: () => length,
    close: async () => {
      await rotate();
      await handle?.close();
      handle = null;
      broken = new StoreError('store_closed', directory, 'The store was closed. Open it again.');
    },
  };
}

async function writeFully(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

function withOffset(change: QueuedChange, sizes: ReadonlyMap<string, number>, grown: Map<string, number>): FileChange {
  if (change.type === 'delete') grown.set(change.path, 0);
  if (change.type !== 'append') return change;
  const offset = grown.get(change.path) ?? sizes.get(change.path) ?? 0;
  grown.set(change.path, offset + Buffer.byteLength(change.text));
  return { ...change, offset };
}

async function segmentsOf(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names
    .flatMap((name) => SEGMENT.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

const nameOf = (number: number): string => `${String(number).padStart(8, '0')}.jsonl`;
