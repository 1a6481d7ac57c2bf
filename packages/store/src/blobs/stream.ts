import { createHash } from 'node:crypto';
import type { BlobHash } from '@bough/core';
import { blobHash } from '@bough/core';
import type { PutBlob } from './blob-store.ts';
import { damagedBlob, tooLarge } from './error.ts';

/** How much of a blob is in memory, per reader and per writer. */
export const PIECE_BYTES = 256 * 1024;

/** What passed through, once all of it has. */
export interface Hashed {
  readonly pieces: AsyncIterable<Buffer>;
  readonly finish: () => PutBlob;
}

/** Cuts a source into pieces of `PIECE_BYTES`, the last one shorter, and hashes them on the way. */
export function inPieces(source: AsyncIterable<Uint8Array>, limit: number): Hashed {
  const sha256 = createHash('sha256');
  let size = 0;
  async function* pieces(): AsyncIterable<Buffer> {
    let waiting: Uint8Array[] = [];
    let length = 0;
    for await (const bytes of source) {
      size += bytes.length;
      if (size > limit) throw tooLarge(limit);
      sha256.update(bytes);
      waiting.push(bytes);
      length += bytes.length;
      if (length < PIECE_BYTES) continue;
      const joined = Buffer.concat(waiting);
      let start = 0;
      for (; joined.length - start >= PIECE_BYTES; start += PIECE_BYTES)
        yield joined.subarray(start, start + PIECE_BYTES);
      // A copy: the rest of a large chunk would keep all of it in memory.
      waiting = [Buffer.from(joined.subarray(start))];
      length = joined.length - start;
    }
    if (length > 0) yield Buffer.concat(waiting);
  }
  return {
    pieces: pieces(),
    finish: () => ({ hash: blobHash(sha256.digest('hex')), size }),
  };
}

/** Passes the pieces of a whole blob on, the last one only if all of them together are what the hash says. */
export async function* checked(pieces: AsyncIterable<Uint8Array>, hash: BlobHash): AsyncIterable<Uint8Array> {
  const sha256 = createHash('sha256');
  let last: Uint8Array | null = null;
  for await (const piece of pieces) {
    if (last !== null) yield last;
    sha256.update(piece);
    last = piece;
  }
  if (sha256.digest('hex') !== hash) throw damagedBlob(hash);
  if (last !== null) yield last;
}
