import { StoreError } from '../errors.ts';

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** What a failed file operation means for the person who runs Bough. Errors that say so already pass unchanged. */
export function ioError(path: string, cause: unknown): unknown {
  if (isCode(cause, 'ENOSPC', 'EDQUOT')) {
    return new StoreError(
      'disk_full',
      path,
      `The disk that holds ${path} is full. Make room and try again; nothing was changed.`,
      {
        cause,
      },
    );
  }
  if (isCode(cause, 'EACCES', 'EPERM', 'EROFS')) {
    return new StoreError(
      'read_only',
      path,
      `${path} cannot be written to. Give the user that runs Bough the right to write there, or choose another directory.`,
      { cause },
    );
  }
  return cause;
}
