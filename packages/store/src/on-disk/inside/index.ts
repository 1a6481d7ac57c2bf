import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { diskTrouble, hasCode, malformed } from '../disk/trouble.ts';

// A directory may have come from anybody: unpacked from an archive, cloned, shared. Whatever it holds, nothing outside
// it is read or written: paths stay inside, links are not followed, and only plain files are opened.

/** Largest file that is read whole: far larger than any that Bough writes, and small enough for memory. */
export const MAX_FILE_BYTES = 256 << 20;

/** Files beyond this size are read one at a time: many at once would fill the memory. */
const LARGE_BYTES = 4 << 20;

/** Whether a path (relative, with `/`) names something inside the directory that it is relative to. */
export function isInside(path: string): boolean {
  return (
    path !== '' && !/[\0\\]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

/** The absolute path of something inside a directory. */
export function pathInside(base: string, path: string): string {
  if (isInside(path)) return join(base, path);
  throw new StoreError(
    'path_outside',
    path,
    `"${path}" would lie outside of ${base}. Nothing there was touched; whoever made this data did not mean well.`,
  );
}

/**
 * The same, for reading or writing: no directory on the way may be a link. The last part may be one. `base` itself is
 * given without links.
 */
export async function reachInside(base: string, path: string): Promise<string> {
  const full = pathInside(base, path);
  const parts = path.split('/');
  // One call instead of one per directory. A different answer need not mean a link: the directories may not exist yet,
  // or the file system may ignore case.
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

/**
 * Without `O_NOFOLLOW`, opening a link follows it; without `O_NONBLOCK`, opening a pipe would block. Windows has
 * neither.
 */
const PLAIN = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file, but never what a link points to. */
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

/** The same for a file inside a directory. */
export async function openInside(base: string, path: string): Promise<FileHandle | null> {
  return (await openPlain(await reachInside(base, path)))?.handle ?? null;
}

let large: Promise<unknown> = Promise.resolve();

/**
 * Reads a plain file and passes its bytes to `use`; null where there is none. `use` is called before the next large
 * file is read, so at most one of them is in memory.
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
    // The next read waits for this one, whether or not it fails; its failure is reported to its own caller.
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

/** The names in a directory; none where it does not exist. */
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
