import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { diskTrouble, hasCode, malformed } from '../disk/trouble.ts';

// A directory may have come from anybody: unpacked from an archive, cloned, shared. Whatever it holds, nothing outside
// of it is read or written: paths stay inside, links are not followed, and what is no plain file is not opened.

/** Largest file that is read whole: far larger than any that is written, and small enough for the memory. */
export const MAX_FILE_BYTES = 256 << 20;

/** Files beyond this size are read one after the other: many at once would fill the memory. */
const LARGE_BYTES = 4 << 20;

/** Whether a path (relative, with `/`) names something inside of the directory that it is relative to. */
export function isInside(path: string): boolean {
  return (
    path !== '' && !/[\0\\]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

/** The absolute path of something inside of a directory. */
export function pathInside(base: string, path: string): string {
  if (isInside(path)) return join(base, path);
  throw new StoreError(
    'path_outside',
    path,
    `"${path}" would lie outside of ${base}. Nothing there was touched; whoever made this data did not mean well.`,
  );
}

/**
 * The same, for what may be read or written: no directory on the way is a link. The last part may be one. `base` itself
 * is given without links.
 */
export async function reachInside(base: string, path: string): Promise<string> {
  const full = pathInside(base, path);
  const parts = path.split('/');
  // One question instead of one per directory. Another answer need not mean a link: the way may not be there yet, or be
  // the same to a file system that does not count case.
  if (parts.length === 1 || (await realpath(dirname(full)).catch(() => null)) === dirname(full)) return full;
  for (let count = 1; count < parts.length; count += 1) {
    if (!(await requireNoLink(join(base, ...parts.slice(0, count))))) break;
  }
  return full;
}

/** False where there is nothing. */
export async function requireNoLink(path: string): Promise<boolean> {
  try {
    if ((await lstat(path)).isSymbolicLink()) throw linkRefused(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw diskTrouble(path, error);
  }
}

export function linkRefused(path: string): StoreError {
  return new StoreError(
    'link_refused',
    path,
    `${path} is a link, and Bough follows no links inside of a directory: they could lead anywhere. Put what it points to in its place.`,
  );
}

/** Without it opening a link follows it; a pipe would keep whoever opens it waiting. Windows has neither. */
const PLAIN = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file, and never what a link points to. */
export async function openNoLink(path: string, flags: number, mode?: number): Promise<FileHandle> {
  try {
    return await open(path, flags | PLAIN, mode);
  } catch (error) {
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw linkRefused(path);
    throw error;
  }
}

interface PlainFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/** A plain file, opened for reading; null where there is none. */
async function openPlain(path: string): Promise<PlainFile | null> {
  let handle;
  try {
    handle = await openNoLink(path, constants.O_RDONLY);
    const state = await handle.stat();
    if (state.isFile()) return { handle, size: state.size };
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    if (!hasCode(error, 'ENXIO')) throw diskTrouble(path, error);
  }
  await handle?.close();
  throw malformed(path, 'it is not a plain file.');
}

/** The same for a file inside of a directory. */
export async function openInside(base: string, path: string): Promise<FileHandle | null> {
  return (await openPlain(await reachInside(base, path)))?.handle ?? null;
}

let large: Promise<unknown> = Promise.resolve();

/**
 * Reads a plain file and makes something of it; null where there is none. `use` is called before the next large file is
 * read, so that not more than one of them is in the memory.
 */
export async function readPlain<T>(path: string, use: (bytes: Buffer) => T, limit = MAX_FILE_BYTES): Promise<T | null> {
  const file = await openPlain(path);
  if (file === null) return null;
  const { handle, size } = file;
  try {
    if (size > limit) throw malformed(path, `it has more than ${limit} bytes.`);
    const read = async (): Promise<T> => use(await handle.readFile());
    if (size <= LARGE_BYTES) return await read();
    const mine = large.then(read);
    // The next one waits for this one, whatever becomes of it; whoever asked for it hears of its failure.
    large = mine.catch(() => undefined);
    return await mine;
  } catch (error) {
    throw diskTrouble(path, error);
  } finally {
    await handle.close();
  }
}

export async function readInside<T>(base: string, path: string, use: (bytes: Buffer) => T): Promise<T | null> {
  return readPlain(await reachInside(base, path), use);
}

/** The names in a directory; none where it is not there. */
export async function namesInside(base: string, path: string): Promise<readonly string[]> {
  const full = await reachInside(base, path);
  if (!(await requireNoLink(full))) return [];
  try {
    return await readdir(full);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    if (hasCode(error, 'ENOTDIR')) throw malformed(full, 'it is not a directory.', error);
    throw diskTrouble(full, error);
  }
}
