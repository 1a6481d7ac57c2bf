import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { Place } from './place.ts';

/**
 * Whether a process can be handed a directory instead of its path. Linux opens `/proc/self/fd/3/…` without asking for
 * the directories above: so a server that runs as another user than root can work below a home that only root may
 * enter, and the data stays where the user put it, with nobody's permissions changed.
 */
export const HANDLES_REACH_EVERYWHERE = process.platform === 'linux';

/**
 * What a program of PostgreSQL is given to reach files: the paths to name them by, and the handles that it inherits.
 */
export interface Reach {
  /** In the order of the files asked for. */
  readonly paths: readonly string[];
  /** To be appended to the standard three streams. */
  readonly handles: readonly number[];
}

const FIRST_HANDLE = 3;

/** Opens a way to files of a place for the program that `use` starts. */
export async function reaching<T>(
  place: Place,
  files: readonly string[],
  use: (reach: Reach) => Promise<T>,
): Promise<T> {
  if (place.account === null || !HANDLES_REACH_EVERYWHERE) return use({ paths: files, handles: [] });
  const opened: FileHandle[] = [];
  try {
    for (const file of files) opened.push(await open(file, 'r'));
    return await use({
      paths: opened.map((_, index) => `/proc/self/fd/${FIRST_HANDLE + index}`),
      handles: opened.map(({ fd }) => fd),
    });
  } finally {
    for (const handle of opened) await handle.close();
  }
}

/** Where its programs start: not in a directory that they may be unable to name. */
export function startingDirectory(place: Place): string {
  return place.account === null ? place.home : '/';
}
