import { BoughError } from '@bough/core';
import { StoreError } from '../../errors.ts';
import { codeOf } from '../connection/trouble.ts';

/** Says what a failed file operation below the data directory means to the person who chose that directory. */
export function fileTrouble(error: unknown, dataDir: string): BoughError {
  if (error instanceof BoughError) return error;
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StoreError(
        'disk_full',
        dataDir,
        `There is no space left for ${dataDir}. Free some, then start again.`,
        {
          cause: error,
        },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StoreError(
        'data_dir_not_writable',
        dataDir,
        `Bough may not write to ${dataDir}. Give it the permission, or set BOUGH_DATA_DIR to another directory.`,
        { cause: error },
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return new StoreError(
        'data_dir_not_a_directory',
        dataDir,
        `${dataDir} is not a directory. Set BOUGH_DATA_DIR to one.`,
        {
          cause: error,
        },
      );
    default:
      return new StoreError(
        'embedded_failed',
        dataDir,
        `PostgreSQL could not be set up in ${dataDir}: ${sentence(error)}`,
        {
          cause: error,
        },
      );
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
