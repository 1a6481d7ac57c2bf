import { fit, FitError } from '@bough/files';
import type { FileKeeper } from '@bough/transfer';
import { keepFiles } from './keep.ts';

/** The most that a provider takes of one document. */
export const DEFAULT_FILE_BYTES = 50_000_000;

/** Fits the files of an import like those that people attach. */
export function createFileKeeper(limit: number = DEFAULT_FILE_BYTES): FileKeeper {
  return {
    limit,
    keep: async (file, blobs) => {
      try {
        return { block: await keepFiles(blobs, await fit(file)) };
      } catch (error) {
        if (error instanceof FitError) return { refused: error.message };
        throw error;
      }
    },
  };
}
