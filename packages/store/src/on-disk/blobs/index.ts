import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobHash } from '@bough/core';
import { isBlobHash } from '@bough/core';
import type { Hashed, PutBlob, ReadBlob } from '../../blobs/index.ts';
import { checked, HOLD_MS, inPieces, missingBlob, PIECE_BYTES } from '../../blobs/index.ts';
import type { Modes } from '../disk/index.ts';
import { diskTrouble, hasCode, syncDirectory } from '../disk/index.ts';
import type { Exclusion } from '../exclusion.ts';
import { namesInside, openInside, reachInside } from '../inside/index.ts';

/**
 * Blobs as plain files, `<first two letters>/<hash>`. When a file was changed last says when it was put last: no other
 * record of that can be lost, or contradict it.
 */
export interface BlobDirectory {
  readonly put: (source: AsyncIterable<Uint8Array>, limit: number) => Promise<PutBlob>;
  /** Null where there is none. */
  readonly find: (hash: BlobHash) => Promise<FoundBlob | null>;
  readonly isHeld: (found: FoundBlob) => boolean;
  readonly read: (found: FoundBlob, start?: number) => ReadBlob;
  readonly list: () => AsyncIterable<FoundBlob>;
  readonly remove: (hash: BlobHash) => Promise<void>;
  /** Looks again first: it may have been put meanwhile. False where it was. */
  readonly removeIfPutBefore: (hash: BlobHash, time: number) => Promise<boolean>;
}

export interface FoundBlob extends PutBlob {
  /** In milliseconds since 1970. */
  readonly putAt: number;
}

export interface BlobPlace {
  /** Absolute, without links in it. */
  readonly base: string;
  /** Relative to it, with `/`. */
  readonly directory: string;
  /** Absolute, on the same file system. What is in it when the store opens is removed. */
  readonly temporaryDirectory: string;
  readonly modes: Pick<Modes, 'directory' | 'file'>;
  readonly now: () => number;
  /** What removes files waits for this as well: a blob that is just being put again is not removed. */
  readonly exclusively: Exclusion;
}

const fileIn = (directory: string, hash: BlobHash): string => `${directory}/${hash.slice(0, 2)}/${hash}`;

/** For reading only: not a byte is written. */
export function readBlobsAt(base: string, directory: string): Pick<BlobDirectory, 'find' | 'read'> {
  const fileOf = (hash: BlobHash): string => fileIn(directory, hash);
  const find = async (hash: BlobHash): Promise<FoundBlob | null> => {
    if (!isBlobHash(hash)) return null;
    try {
      const found = await lstat(await reachInside(base, fileOf(hash)));
      return found.isFile() ? { hash, size: found.size, putAt: found.mtimeMs } : null;
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
      throw diskTrouble(join(base, fileOf(hash)), error);
    }
  };

  return {
    find,
    read: ({ hash, size }, start = 0) => {
      const bytes = piecesOf(() => openInside(base, fileOf(hash)), hash, start);
      return { size, bytes: start === 0 ? checked(bytes, hash) : bytes };
    },
  };
}

export function blobsAt(place: BlobPlace): BlobDirectory {
  const { base, directory, now, exclusively } = place;
  const fileOf = (hash: BlobHash): string => fileIn(directory, hash);
  const { find, read } = readBlobsAt(base, directory);

  const remove = async (hash: BlobHash): Promise<void> => {
    const path = await reachInside(base, fileOf(hash));
    try {
      await rm(path, { force: true });
    } catch (error) {
      throw diskTrouble(path, error);
    }
  };

  return {
    find,
    isHeld: ({ putAt }) => putAt > now() - HOLD_MS,
    put: async (source, limit) => {
      const temporary = join(place.temporaryDirectory, `blob-${randomUUID()}`);
      try {
        const put = await writeAll(temporary, place, inPieces(source, limit));
        await exclusively(async () => {
          const target = await reachInside(base, fileOf(put.hash));
          const made = await mkdir(dirname(target), { recursive: true, mode: place.modes.directory });
          // Also over an equal one: that renews its time, and mends it if it was damaged.
          await rename(temporary, target);
          await syncDirectory(dirname(target));
          // A directory that was made on the way is a new entry in its parent.
          if (made !== undefined) await syncUpTo(base, dirname(target));
        });
        return put;
      } catch (error) {
        await rm(temporary, { force: true });
        throw diskTrouble(temporary, error);
      }
    },
    read,
    list: async function* () {
      for (const shard of await namesInside(base, directory)) {
        if (!/^[0-9a-f]{2}$/.test(shard)) continue;
        for (const name of await namesInside(base, `${directory}/${shard}`)) {
          const found = isBlobHash(name) && name.startsWith(shard) ? await find(name) : null;
          if (found !== null) yield found;
        }
      }
    },
    remove,
    removeIfPutBefore: (hash, time) =>
      exclusively(async () => {
        const found = await find(hash);
        const isOld = found !== null && found.putAt < time;
        if (isOld) await remove(hash);
        return isOld;
      }),
  };
}

async function syncUpTo(base: string, directory: string): Promise<void> {
  for (let above = directory; above !== base;) {
    above = dirname(above);
    await syncDirectory(above);
  }
}

async function writeAll(path: string, { modes, now }: BlobPlace, { pieces, finish }: Hashed): Promise<PutBlob> {
  await mkdir(dirname(path), { recursive: true, mode: modes.directory });
  const handle = await open(path, 'wx', modes.file);
  try {
    for await (const piece of pieces) await writeWhole(handle, piece);
    const seconds = now() / 1000;
    await handle.utimes(seconds, seconds);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return finish();
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
}

async function* piecesOf(
  openFile: () => Promise<FileHandle | null>,
  hash: BlobHash,
  start: number,
): AsyncIterable<Uint8Array> {
  const handle = await openFile();
  if (handle === null) throw missingBlob(hash);
  try {
    for (let position = start; ;) {
      const buffer = Buffer.allocUnsafe(PIECE_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
