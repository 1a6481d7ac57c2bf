import { BoughError } from '@bough/core';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { Crc32 } from './crc32.ts';
import {
  CENTRAL,
  DEFLATED,
  ENCRYPTED,
  END,
  END_64,
  EXTRA_64,
  FULL_16,
  FULL_32,
  LOCAL,
  LOCATOR_64,
  STORED,
} from './layout.ts';

/** A ZIP file that is damaged, or uses something that Bough does not read. */
export class ZipError extends BoughError {
  constructor(problem: string) {
    super('malformed_archive', problem);
  }
}

export interface ZipEntry {
  /** As the file says it: it may be anything, `../..` included. */
  readonly name: string;
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

/** The table of contents must fit into memory; one of this size has a million entries. */
const MAX_CONTENTS = 128 * 1024 * 1024;
/** The end of the file may be followed by a comment of this length. */
const MAX_COMMENT = 0xffff;
const DAMAGED = 'The ZIP file is damaged, or was not downloaded to its end. Download it again.';

export async function isZip(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const mark = buffer.readUInt32LE(0);
    return bytesRead === 4 && (mark === LOCAL || mark === END);
  } finally {
    await file.close();
  }
}

/** What a ZIP file says that it holds. */
export async function zipEntries(file: FileHandle): Promise<readonly ZipEntry[]> {
  const { size } = await file.stat();
  const { count, start, length } = await contentsOf(file, size);
  if (length > MAX_CONTENTS || start + length > size) throw new ZipError(DAMAGED);
  const contents = await bytesAt(file, start, length);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < count;) {
    if (at + 46 > contents.length || contents.readUInt32LE(at) !== CENTRAL) throw new ZipError(DAMAGED);
    const nameLength = contents.readUInt16LE(at + 28);
    const extraLength = contents.readUInt16LE(at + 30);
    const next = at + 46 + nameLength + extraLength + contents.readUInt16LE(at + 32);
    if (next > contents.length) throw new ZipError(DAMAGED);
    const extra = contents.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    entries.push({
      name: contents.toString('utf8', at + 46, at + 46 + nameLength),
      flags: contents.readUInt16LE(at + 8),
      method: contents.readUInt16LE(at + 10),
      crc: contents.readUInt32LE(at + 16),
      ...largeFields(
        {
          size: contents.readUInt32LE(at + 24),
          packed: contents.readUInt32LE(at + 20),
          offset: contents.readUInt32LE(at + 42),
        },
        extra,
      ),
    });
    at = next;
  }
  return entries;
}

/** Unpacks one entry, and fails if it is not what the table of contents says. */
export async function unzipEntry(file: FileHandle, entry: ZipEntry, to: string, signal?: AbortSignal): Promise<void> {
  if ((entry.flags & ENCRYPTED) !== 0)
    throw new ZipError('The ZIP file is encrypted. Unpack it, and import what is in it.');
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new ZipError(
      'The ZIP file is packed in a way that Bough does not read. Unpack it, and import what is in it.',
    );
  const head = await bytesAt(file, entry.offset, 30);
  if (head.readUInt32LE(0) !== LOCAL) throw new ZipError(DAMAGED);
  const start = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const target = await open(to, 'wx', 0o600);
  const crc = new Crc32();
  let size = 0;
  try {
    const packed = piecesAt(file, start, entry.packed);
    const write = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
      for await (const piece of pieces) {
        signal?.throwIfAborted();
        size += piece.length;
        // One that unpacks to more than it says could fill the disk.
        if (size > entry.size) return;
        crc.add(piece);
        await target.write(piece);
      }
    };
    if (entry.method === STORED) await pipeline(packed, write);
    else await pipeline(packed, createInflateRaw(), write);
  } catch (error) {
    if (size > entry.size || isZlibError(error)) throw new ZipError(DAMAGED);
    throw error;
  } finally {
    await target.close();
  }
  if (size !== entry.size || crc.value() !== entry.crc) throw new ZipError(DAMAGED);
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_|^ERR_/.test(String(error.code));
}

async function contentsOf(
  file: FileHandle,
  size: number,
): Promise<{ readonly count: number; readonly start: number; readonly length: number }> {
  const from = Math.max(0, size - 22 - MAX_COMMENT);
  const tail = await bytesAt(file, from, size - from);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(END, 0);
  const at = tail.lastIndexOf(mark);
  if (at < 0 || at + 22 > tail.length) throw new ZipError(DAMAGED);
  const short = {
    count: tail.readUInt16LE(at + 10),
    length: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  };
  if (short.count < FULL_16 && short.length < FULL_32 && short.start < FULL_32) return short;
  if (at < 20 || tail.readUInt32LE(at - 20) !== LOCATOR_64) return short;
  const large = await bytesAt(file, numberAt(tail, at - 12), 56);
  if (large.readUInt32LE(0) !== END_64) throw new ZipError(DAMAGED);
  return { count: numberAt(large, 32), length: numberAt(large, 40), start: numberAt(large, 48) };
}

/** Fields that are full have their values in an extension, in this order and only those. */
function largeFields<Fields extends { size: number; packed: number; offset: number }>(
  fields: Fields,
  extra: Buffer,
): Fields {
  const made = { ...fields };
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== EXTRA_64) continue;
    let next = at + 4;
    for (const name of ['size', 'packed', 'offset'] as const) {
      if (made[name] !== FULL_32) continue;
      if (next + 8 > extra.length) throw new ZipError(DAMAGED);
      made[name] = numberAt(extra, next);
      next += 8;
    }
  }
  return made;
}

function numberAt(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ZipError(DAMAGED);
  return Number(value);
}

const PIECE_BYTES = 1 << 18;

/** Not as a stream: each one would leave a listener at the handle, and one that fails would close it for the others. */
async function* piecesAt(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < length; at += PIECE_BYTES)
    yield await bytesAt(file, start + at, Math.min(PIECE_BYTES, length - at));
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length) throw new ZipError(DAMAGED);
  return buffer;
}
