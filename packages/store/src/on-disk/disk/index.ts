import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Modes } from './modes.ts';
import { diskTrouble, hasCode } from './trouble.ts';

export * from './modes.ts';
export * from './trouble.ts';

/**
 * Replaces a whole file: a reader, or a crash, sees the old content or the new. The temporary file is in a directory of
 * its own, so that a crash leaves nothing among other people's files; it must be on the same file system.
 */
export async function writeAtomically(
  path: string,
  data: string | Uint8Array,
  temporaryDirectory: string,
  modes: Modes,
): Promise<void> {
  const temporary = join(temporaryDirectory, randomUUID());
  try {
    const handle = await open(temporary, 'wx', modes.file);
    try {
      await handle.chmod(await modes.ofFile(path));
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameInto(temporary, path, modes);
  } catch (error) {
    await rm(temporary, { force: true });
    throw diskTrouble(path, error);
  }
}

/** Writes a file in a directory that nobody sees yet: a crash may leave half of it, which is never read. */
export async function writeNew(path: string, data: string | Uint8Array, modes: Modes): Promise<void> {
  try {
    const handle = await open(path, 'wx', modes.file);
    try {
      await handle.chmod(modes.file);
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw diskTrouble(path, error);
  }
}

async function renameInto(from: string, to: string, modes: Modes): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    await mkdir(dirname(to), { recursive: true, mode: modes.directory });
    await rename(from, to);
  }
}

/** Makes renames and removals in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  let handle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    // Windows does not open directories, and the directory may have been removed with its project meanwhile.
    if (hasCode(error, 'EISDIR', 'EPERM', 'EACCES', 'ENOENT')) return;
    throw diskTrouble(path, error);
  }
  try {
    await handle.sync();
  } catch (error) {
    if (!hasCode(error, 'EINVAL', 'EPERM')) throw diskTrouble(path, error);
  } finally {
    await handle.close();
  }
}

/** Null where there is no such file. */
export async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw diskTrouble(path, error);
  }
}

/**
 * Runs a task per item, a few at a time: that is faster for thousands of small files and never exhausts the
 * descriptors. After a failure no new task begins, and those that had begun have ended by the time it is reported: the
 * caller may then close the store.
 */
export async function eachOf<T>(items: readonly T[], width: number, task: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item === undefined) continue;
      try {
        await task(item);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, worker));
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason;
}
