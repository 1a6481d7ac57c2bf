import { projectId, UnknownIdError } from '@bough/core';
import type { Store } from '@bough/store';
import { randomBytes, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreTrouble } from './trouble.ts';
import { storeTrouble } from './trouble.ts';

export type { StoreTrouble } from './trouble.ts';
export { storeTrouble } from './trouble.ts';

export interface WatchedStore {
  readonly store: Store;
  /** Why the store cannot be used just now; null where it can. Asks the store itself, so that it is ready again by itself. */
  readonly trouble: () => Promise<StoreTrouble | null>;
}

const WRITES = [
  'createProject',
  'updateProject',
  'deleteProject',
  'createBranch',
  'updateBranch',
  'deleteBranch',
  'moveTip',
  'appendNodes',
  'deleteNode',
  'setIncludeThinking',
  'beginTurn',
  'commitTurn',
  'appendLog',
] as const satisfies readonly (keyof Store)[];

/** Whoever asks every moment gets the same answer: the question costs a write. */
const ANSWER_KEPT_MS = 1_000;
const ANSWER_MS = 2_000;
/** How long a failed write counts while none succeeded since: a database of somebody else cannot be asked for room. */
const FAILURE_KEPT_MS = 5_000;
const PROBE_BYTES = 64 * 1024;

const SILENT: StoreTrouble = {
  status: 503,
  code: 'store_silent',
  sentence: 'The store does not answer in time. Try again in a moment.',
};

/** `disk` is where the store lies, if it lies on a disk of this machine. */
export function watchStore(store: Store, disk: string | null, now: () => number = Date.now): WatchedStore {
  let failed: { readonly trouble: StoreTrouble; readonly at: number } | null = null;
  let asked: { readonly answer: Promise<StoreTrouble | null>; readonly at: number } | null = null;
  const ask = async (): Promise<StoreTrouble | null> => {
    const found = (await inTime(readTrouble(store))) ?? (disk === null ? null : await inTime(diskTrouble(disk)));
    if (found !== null) return found;
    return failed !== null && now() - failed.at < FAILURE_KEPT_MS ? failed.trouble : null;
  };
  const noting =
    <Given extends readonly unknown[], Result>(write: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      try {
        const result = await write(...given);
        failed = null;
        return result;
      } catch (error) {
        const trouble = storeTrouble(error);
        if (trouble !== null) failed = { trouble, at: now() };
        throw error;
      }
    };
  const noted = Object.fromEntries(
    // Each is given what it is called with, unchanged.
    WRITES.map((name) => [name, noting(store[name] as (...given: readonly unknown[]) => Promise<unknown>)]),
  );
  return {
    store: { ...store, ...noted },
    trouble: () => {
      if (asked === null || now() - asked.at >= ANSWER_KEPT_MS) asked = { answer: ask(), at: now() };
      return asked.answer;
    },
  };
}

/** A project that nobody has is not found by a store that answers. */
async function readTrouble(store: Store): Promise<StoreTrouble | null> {
  try {
    await store.getProject(projectId(randomUUID()));
    return null;
  } catch (error) {
    return error instanceof UnknownIdError ? null : (storeTrouble(error) ?? SILENT);
  }
}

/** Writing is the only question to which a disk gives an honest answer: quotas and limits are none of its free blocks. */
async function diskTrouble(directory: string): Promise<StoreTrouble | null> {
  const path = join(directory, `.room-${randomUUID()}`);
  try {
    await writeFile(path, randomBytes(PROBE_BYTES), { mode: 0o600, flush: true });
    return null;
  } catch (error) {
    return storeTrouble(error) ?? SILENT;
  } finally {
    await rm(path, { force: true });
  }
}

async function inTime(answer: Promise<StoreTrouble | null>): Promise<StoreTrouble | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<StoreTrouble>((resolve) => {
    timer = setTimeout(() => resolve(SILENT), ANSWER_MS);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}
