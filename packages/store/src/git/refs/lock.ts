import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { diskTrouble, hasCode } from '../../on-disk/disk/index.ts';

/** Somebody's `git gc` may hold a ref for a moment: that is no reason to fail. */
const PATIENCE_MS = 2000;
const POLL_MS = 10;

/** git's way of locking a file: a second file next to it, which replaces it by a rename. */
export interface FileLock {
  /** Forced to the disk, so that the file is never empty after a power cut. */
  readonly write: (content: string) => Promise<void>;
  /** Replaces the file with what was written. */
  readonly commit: () => Promise<void>;
  /** Releases the lock. Does nothing after `commit`. */
  readonly release: () => Promise<void>;
}

/** Null where somebody else holds the lock and does not release it. */
export async function lockFile(path: string, patience = PATIENCE_MS): Promise<FileLock | null> {
  const lock = `${path}.lock`;
  const handle = await openLock(lock, Date.now() + patience);
  if (handle === null) return null;
  let held = true;
  return {
    write: async (content) => {
      try {
        await handle.writeFile(content);
        await handle.datasync();
      } catch (cause) {
        throw diskTrouble(path, cause);
      }
    },
    commit: async () => {
      await handle.close();
      await rename(lock, path);
      held = false;
    },
    release: async () => {
      if (!held) return;
      held = false;
      await handle.close();
      await rm(lock, { force: true });
    },
  };
}

async function openLock(lock: string, until: number): Promise<FileHandle | null> {
  for (;;) {
    try {
      return await open(lock, 'wx');
    } catch (cause) {
      if (!hasCode(cause, 'ENOENT', 'EEXIST')) throw diskTrouble(lock, cause);
      if (Date.now() > until) return null;
      // git removes directories that it has emptied, even one that was just made.
      if (hasCode(cause, 'ENOENT')) await mkdir(dirname(lock), { recursive: true });
      else await sleep(POLL_MS);
    }
  }
}
