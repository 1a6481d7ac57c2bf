import { StoreError } from '../../errors.ts';

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** What a failed file operation means for the person who runs Bough. An error that already says so passes unchanged. */
export function diskTrouble(path: string, cause: unknown): unknown {
  // EFBIG: a limit on file sizes, which is a full disk by another name.
  if (hasCode(cause, 'ENOSPC', 'EDQUOT', 'EFBIG')) {
    return new StoreError('disk_full', path, `There is no room left to write ${path}. Make room and try again.`, {
      cause,
    });
  }
  if (hasCode(cause, 'EACCES', 'EPERM', 'EROFS')) {
    return new StoreError(
      'read_only',
      path,
      `${path} cannot be written. Give the user that runs Bough the right to write there, or choose another directory.`,
      { cause },
    );
  }
  return cause;
}

/** A file that is not what it should be. How much depends on it (a node, a project, or all of them) its name says. */
export function malformed(path: string, problem: string, cause?: unknown): StoreError {
  return new StoreError(
    'malformed_file',
    path,
    `${path} cannot be read: ${problem} Mend it or restore it from a backup.`,
    { cause },
  );
}
