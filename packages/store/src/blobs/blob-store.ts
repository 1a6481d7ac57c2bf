import type { BlobHash, ProjectId } from '@bough/core';

/**
 * The bytes of files, by what they are: equal bytes are kept once, for all messages and branches of a project at least.
 *
 * - Bytes are put first, then nodes refer to them (`blobsOf` in core says to which). A node is stored only if each of
 *   its blobs is held, or if its project refers to it already; otherwise `BlobError` with code `blob_missing`.
 * - What was put is held for `HOLD_HOURS`: time enough to write the message that it belongs to.
 * - Nodes in the trash still refer to their blobs; what nothing refers to and nobody holds is removed by `sweep`.
 * - Nothing else in the store reads blobs, or lists them.
 */
export interface BlobStore {
  /** Resolves when the bytes are durable. A source that fails, or has more than `limit` bytes, leaves nothing. */
  readonly put: (source: AsyncIterable<Uint8Array>, options: { readonly limit: number }) => Promise<PutBlob>;
  /**
   * The bytes from `start` on; undefined where the project does not refer to such a blob or, for null, none is held. A
   * blob that is read as a whole is checked: its last bytes come only if all of them are what its hash says.
   */
  readonly read: (scope: ProjectId | null, hash: BlobHash, start?: number) => Promise<ReadBlob | undefined>;
  /** Those of the hashes that `read` would find. */
  readonly has: (scope: ProjectId | null, hashes: readonly BlobHash[]) => Promise<ReadonlySet<BlobHash>>;
  /**
   * Removes what was put before a time and what nothing refers to, and the remains of uploads that were cut off.
   * Returns what it removed; a dry run removes nothing.
   */
  readonly sweep: (options: { readonly putBefore: string; readonly dryRun?: boolean }) => Promise<readonly PutBlob[]>;
}

export interface PutBlob {
  readonly hash: BlobHash;
  readonly size: number;
}

export interface ReadBlob {
  /** Of the whole blob. */
  readonly size: number;
  /** In pieces. Nothing is opened before the first one is asked for. */
  readonly bytes: AsyncIterable<Uint8Array>;
}
