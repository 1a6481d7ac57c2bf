import { join } from 'node:path';
import type { BlobHash } from '@bough/core';
import { isBlobHash, isPlainObject } from '@bough/core';
import { StoreError } from '../../errors.ts';
import type { Base } from '../state/base.ts';
import { removedFile } from './places.ts';

/** What lies beside an entry. */
export async function readRemoved(base: Base, id: string): Promise<unknown> {
  const file = removedFile(id);
  const text = await base.files.readCompressed(file);
  if (text !== null) return JSON.parse(text);
  const path = join(base.directory, file);
  throw new StoreError('missing_file', path, `${path} is missing: what it held cannot be restored.`);
}

/** What lies in the trash refers to these. */
export async function blobsInTrash(base: Base): Promise<ReadonlySet<BlobHash>> {
  const found = new Set<BlobHash>();
  for (const id of base.trash.entries.keys()) {
    const removed = await readRemoved(base, id);
    const blobs = isPlainObject(removed) ? removed['blobs'] : null;
    for (const hash of Array.isArray(blobs) ? blobs : []) if (isBlobHash(hash)) found.add(hash);
  }
  return found;
}
