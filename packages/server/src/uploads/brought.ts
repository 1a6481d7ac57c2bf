import type { AttachedBlock } from '@bough/core';
import type { BroughtFile, KeepFile } from '@bough/engine';
import { keepFilesIn } from '@bough/engine';
import { FitError, fit, fitName } from '@bough/files';
import type { BlobStore } from '@bough/store';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scratch } from '../scratch/index.ts';
import { keepFiles, once } from './keep.ts';
import { looksLikeRecord } from './record.ts';

/** Neither a tool nor a model may fill the disk. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Keeps what tools and models bring, fitted like what people attach. What cannot be fitted is kept as it is, as a file
 * that can be downloaded and that models get to know by its name.
 */
export function keepBrought(blobs: Pick<BlobStore, 'put'>, scratch: Pick<Scratch, 'open'>): KeepFile {
  return async (brought) => {
    const { bytes } = brought;
    if (bytes.length === 0 || bytes.length > MOST_BYTES || looksLikeRecord(bytes)) return null;
    const { path: directory, remove } = await scratch.open();
    try {
      const path = join(directory, 'brought');
      await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
      return await keepFiles(blobs, await fit({ name: brought.name, path, directory }));
    } catch (error) {
      if (!(error instanceof FitError)) throw error;
      return error.code === 'fitting_unavailable' ? await keepFilesIn(blobs)(brought) : await asItIs(blobs, brought);
    } finally {
      await remove();
    }
  };
}

async function asItIs(blobs: Pick<BlobStore, 'put'>, { name, bytes }: BroughtFile): Promise<AttachedBlock> {
  const { hash, size } = await blobs.put(once(bytes), { limit: MOST_BYTES });
  return { type: 'file', name: fitName(name), file: { hash, size, mediaType: 'application/octet-stream' } };
}
