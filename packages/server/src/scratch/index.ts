import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A directory for files that are on their way in or out, readable by nobody else. */
export interface ScratchDirectory {
  readonly path: string;
  /** Aborts when the program stops. */
  readonly stopping: AbortSignal;
  /** Removes it with everything in it; a second time does nothing. */
  readonly remove: () => Promise<void>;
}

export interface Scratch {
  readonly open: () => Promise<ScratchDirectory>;
  /** Ends the work that uses one, and waits for it: the store is closed afterwards. */
  readonly close: () => Promise<void>;
}

/** The number of the process that made it stands first in its name. */
const OWNER = /^(\d+)-/;
const PATIENCE_MS = 5_000;

export async function openScratch(dataDir: string): Promise<Scratch> {
  const root = join(dataDir, 'scratch');
  await removeLeftovers(root);
  const stop = new AbortController();
  const open = new Map<string, { readonly removed: Promise<void>; readonly remove: () => Promise<void> }>();
  return {
    open: async () => {
      stop.signal.throwIfAborted();
      await mkdir(root, { recursive: true, mode: 0o700 });
      const path = await mkdtemp(join(root, `${process.pid}-`));
      let finish: () => void = () => undefined;
      const removed = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const remove = async (): Promise<void> => {
        if (!open.delete(path)) return;
        await rm(path, { recursive: true, force: true }).finally(finish);
      };
      open.set(path, { removed, remove });
      return { path, stopping: stop.signal, remove };
    },
    close: async () => {
      stop.abort();
      const left = [...open.values()];
      let timer: ReturnType<typeof setTimeout> | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS);
      });
      await Promise.race([Promise.all(left.map(({ removed }) => removed)), patience]);
      clearTimeout(timer);
      await Promise.all(left.map(({ remove }) => remove()));
    },
  };
}

/**
 * What a process left that was killed. Servers may share a data directory, so what belongs to a running one stays; one
 * with our own number is of an earlier life, as in a container.
 */
async function removeLeftovers(root: string): Promise<void> {
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const pid = Number(OWNER.exec(name)?.[1] ?? Number.NaN);
    if (pid === process.pid || !isRunning(pid)) await rm(join(root, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of somebody else is a running one, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
