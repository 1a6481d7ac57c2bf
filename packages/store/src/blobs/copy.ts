import type { BlobHash } from '@bough/core';
import { blobsOf } from '@bough/core';
import type { ProjectRecord } from '../store.ts';
import type { BlobStore, ReadBlob } from './blob-store.ts';
import { BlobError } from './error.ts';

/** Where the files of a project are read from: its store, or a bundle. */
export type BlobSource = (hash: BlobHash) => Promise<ReadBlob | undefined>;

/** Passes the records of a project on, and puts the files of each node where they are needed before the node comes. */
export async function* withBlobs(
  records: AsyncIterable<ProjectRecord>,
  source: BlobSource,
  target: Pick<BlobStore, 'put'>,
): AsyncIterable<ProjectRecord> {
  const put = new Set<BlobHash>();
  for await (const record of records) {
    for (const hash of record.type === 'node' ? blobsOf(record.value.contentBlocks) : []) {
      if (put.has(hash)) continue;
      const found = await source(hash);
      if (found === undefined) throw absent(hash);
      const copy = await target.put(found.bytes, { limit: found.size });
      if (copy.hash !== hash) throw absent(hash);
      put.add(hash);
    }
    yield record;
  }
}

const absent = (hash: BlobHash): BlobError =>
  new BlobError(
    'blob_missing',
    `A message refers to a file that is missing or damaged where it comes from (SHA-256 ${hash}). "bough verify" lists all of them; restore them from a backup, or delete the message.`,
    hash,
  );
