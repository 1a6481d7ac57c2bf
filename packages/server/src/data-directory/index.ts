import { BoughError } from '@bough/core';
import { accessSync, constants, lstatSync, mkdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The data directory cannot be used. Says why, and what to do. */
export class DataDirectoryError extends BoughError {
  constructor(directory: string, problem: string, options?: { cause?: unknown }) {
    super('data_directory', `The data directory ${directory} ${problem}`, options);
  }
}

const ELSEWHERE = 'or set BOUGH_DATA_DIR to a directory of your own.';

/** Makes the directory if it is missing, readable by nobody else, and ensures that it can be used. */
export function prepareDataDirectory(directory: string): void {
  try {
    makeDirectory(directory);
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new DataDirectoryError(directory, problemOf(directory, cause), { cause });
  }
}

/** Node's own recursive mkdir never ends where a directory can be named but not made, as below /proc. */
function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(directory).isDirectory()) return;
    if (codeOf(error) !== 'ENOENT' || dirname(directory) === directory || danglingLink(directory) !== null) throw error;
    makeDirectory(dirname(directory));
    mkdirSync(directory, { mode: 0o700 });
  }
}

function problemOf(directory: string, error: unknown): string {
  const target = danglingLink(directory);
  if (target !== null) return `is a link to ${target}, which is not there. Make that directory, ${ELSEWHERE}`;
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `${whoseIsIt(directory)} Give it to this user with chown, ${ELSEWHERE}`;
    case 'EROFS':
      return `lies on a file system that is mounted read-only. Mount it for writing, ${ELSEWHERE}`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `is not a directory, or something above it is none. Move that away, ${ELSEWHERE}`;
    case 'ENOENT':
      return `cannot be made, because what it would lie in is missing. Make that first, ${ELSEWHERE}`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `cannot be made, because the disk is full. Make room, ${ELSEWHERE}`;
    default:
      return `cannot be used (${error instanceof Error ? error.message : String(error)}). Mend that, ${ELSEWHERE}`;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function danglingLink(path: string): string | null {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && statSync(path, { throwIfNoEntry: false }) === undefined ? readlinkSync(path) : null;
}

function whoseIsIt(path: string): string {
  const user = process.getuid?.() ?? 'unknown';
  try {
    const { uid } = statSync(path);
    return uid === user
      ? `may not be written by its own user (${uid}); chmod u+rwx allows it.`
      : `belongs to user ${uid} and may not be written by user ${user}, who runs Bough.`;
  } catch {
    return `cannot be made or reached by user ${user}, who runs Bough.`;
  }
}
