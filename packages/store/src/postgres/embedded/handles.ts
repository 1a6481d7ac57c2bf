import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { Place } from './place.ts';

/**
 * Whether a process can be handed a directory instead of its path. Linux opens `/proc/self/fd/3/…` without checking the
 * directories above it: so a server that does not run as root can work below a home that only root may enter, and the
 * data stays where the user put it, with no permissions changed.
 */
export const HANDLES_REACH_EVERYWHERE = process.platform === 'linux';

/**
 * What a PostgreSQL program gets in order to reach files: the paths to name them by, and the handles that it inherits.
 */
export interface Reach {
  /** In the order of the requested files. */
  readonly paths: readonly string[];
  /** To be appended to the three standard streams. */
  readonly handles: readonly number[];
}

const FIRST_HANDLE = 3;

/** Opens access to files of a place for the program that `use` starts. */
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

/** Where its programs start: not in a directory that they may be unable to reach. */
export function startingDirectory(place: Place): string {
  return place.account === null ? place.home : '/';
}
