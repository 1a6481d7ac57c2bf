import { BoughError } from '@bough/core';

/** The operating system said no. */
export class SystemError extends BoughError {
  constructor(message: string, cause: Error) {
    super('system', message, { cause });
  }
}

const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: 'may not be used by the user that runs Bough. Give it to that user with chown, or allow it with chmod.',
  EPERM: 'may not be changed by the user that runs Bough. Give it to that user with chown.',
  EROFS: 'lies on a file system that is mounted read-only. Mount it for writing, or choose another place.',
  ENOSPC: 'cannot be written, because the disk is full. Make room and try again.',
  EDQUOT: 'cannot be written, because the quota is used up. Make room and try again.',
  ENOENT: 'is not there.',
  ENOTDIR: 'cannot be reached, because something above it is not a directory.',
  EISDIR: 'is a directory, where a file is expected.',
  EEXIST: 'is in the way. Move it away and try again.',
  ELOOP: 'is a link that leads back to itself. Remove it.',
  EMFILE: 'cannot be opened, because this process has too many open files. Raise the limit (ulimit -n).',
};

/** A failed system call as a sentence; null for anything else, which is a bug and keeps its stack. */
export function systemTrouble(error: unknown): SystemError | null {
  if (!(error instanceof Error) || !('errno' in error) || !('code' in error) || typeof error.code !== 'string')
    return null;
  if ('syscall' in error && error.syscall === 'uv_cwd')
    return new SystemError('The working directory is gone. Change to one that is there.', error);
  const meaning = MEANINGS[error.code];
  const path = 'path' in error && typeof error.path === 'string' ? error.path : null;
  return new SystemError(meaning === undefined || path === null ? error.message : `${path} ${meaning}`, error);
}
