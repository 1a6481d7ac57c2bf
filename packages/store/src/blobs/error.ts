import type { BlobHash } from '@bough/core';
import { BoughError } from '@bough/core';

export type BlobErrorCode = 'blob_missing' | 'blob_too_large' | 'blob_damaged';

/** A file that cannot be stored, referred to or read. */
export class BlobError extends BoughError {
  declare readonly code: BlobErrorCode;
  /** Null where it has no hash yet. */
  readonly hash: BlobHash | null;

  constructor(code: BlobErrorCode, message: string, hash: BlobHash | null = null) {
    super(code, message);
    this.hash = hash;
  }
}

export function missingBlob(hash: BlobHash): BlobError {
  const message = `The message refers to a file that is not here (SHA-256 ${hash}). Upload it again, then send the message.`;
  return new BlobError('blob_missing', message, hash);
}

export function tooLarge(limit: number): BlobError {
  return new BlobError('blob_too_large', `The file has more than ${limit} bytes. Nothing of it was kept.`);
}

export function damagedBlob(hash: BlobHash): BlobError {
  const message = `The stored file ${hash} is damaged: its bytes are not those that were put. Restore it from a backup, or upload it again.`;
  return new BlobError('blob_damaged', message, hash);
}
