import { BoughError } from '@bough/core';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createDeflateRaw } from 'node:zlib';
import { Crc32 } from './crc32.ts';
import {
  CENTRAL,
  DEFLATED,
  DESCRIPTOR,
  END,
  END_64,
  EXTRA_64,
  FULL_16,
  FULL_32,
  LOCAL,
  LOCATOR_64,
  SIZES_FOLLOW,
  UTF8,
} from './layout.ts';

interface Written {
  readonly name: Buffer;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

/** 1 January 1980, the first day that the format knows: equal directories give equal files. */
const DATE = 0x21;

/**
 * The files of a directory as one ZIP file, piece by piece: no file is ever held in memory. Names stand below `root`,
 * so that unpacking makes one directory.
 */
export async function* zipDirectory(directory: string, root: string): AsyncGenerator<Buffer, void> {
  const written: Written[] = [];
  let offset = 0;
  for await (const path of filesOf(directory)) {
    const name = Buffer.from(`${root}/${path}`);
    const start = offset;
    const head = localHeader(name);
    yield head;
    offset += head.length;
    const crc = new Crc32();
    let size = 0;
    let packed = 0;
    const source = createReadStream(join(directory, path));
    const deflate = createDeflateRaw();
    source.on('data', (chunk) => {
      const bytes = Buffer.from(chunk);
      crc.add(bytes);
      size += bytes.length;
    });
    // Errors of either stream arrive where the deflated bytes are read.
    pipeline(source, deflate, () => undefined);
    try {
      for await (const chunk of deflate) {
        const bytes: Buffer = chunk;
        packed += bytes.length;
        yield bytes;
      }
    } finally {
      source.destroy();
      deflate.destroy();
    }
    if (size >= FULL_32 || packed >= FULL_32)
      throw new BoughError('too_large', `${path} is too large for a ZIP file. Use bough export instead.`);
    const entry: Written = { name, crc: crc.value(), packed, size, offset: start };
    const end = descriptor(entry);
    yield end;
    offset += packed + end.length;
    written.push(entry);
  }
  const start = offset;
  for (const entry of written) {
    const record = centralHeader(entry);
    yield record;
    offset += record.length;
  }
  yield ending(written.length, start, offset - start);
}

/** In one order everywhere. */
async function* filesOf(directory: string, below = ''): AsyncGenerator<string, void> {
  const entries = await readdir(join(directory, below), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesOf(directory, path);
    else if (entry.isFile()) yield path;
  }
}

function localHeader(name: Buffer): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(LOCAL, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(SIZES_FOLLOW | UTF8, 6);
  head.writeUInt16LE(DEFLATED, 8);
  head.writeUInt16LE(DATE, 12);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, name]);
}

function descriptor({ crc, packed, size }: Written): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt32LE(DESCRIPTOR, 0);
  record.writeUInt32LE(crc, 4);
  record.writeUInt32LE(packed, 8);
  record.writeUInt32LE(size, 12);
  return record;
}

function centralHeader({ name, crc, packed, size, offset }: Written): Buffer {
  const isFar = offset >= FULL_32;
  const extra = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    extra.writeUInt16LE(EXTRA_64, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(offset), 4);
  }
  const head = Buffer.alloc(46);
  head.writeUInt32LE(CENTRAL, 0);
  head.writeUInt16LE(isFar ? 45 : 20, 4);
  head.writeUInt16LE(isFar ? 45 : 20, 6);
  head.writeUInt16LE(SIZES_FOLLOW | UTF8, 8);
  head.writeUInt16LE(DEFLATED, 10);
  head.writeUInt16LE(DATE, 14);
  head.writeUInt32LE(crc, 16);
  head.writeUInt32LE(packed, 20);
  head.writeUInt32LE(size, 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE(isFar ? FULL_32 : offset, 42);
  return Buffer.concat([head, name, extra]);
}

/** The end of the file; the form for large files where the short one has no room for a number. */
function ending(count: number, start: number, length: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(Math.min(count, FULL_16), 8);
  end.writeUInt16LE(Math.min(count, FULL_16), 10);
  end.writeUInt32LE(Math.min(length, FULL_32), 12);
  end.writeUInt32LE(Math.min(start, FULL_32), 16);
  if (count < FULL_16 && start < FULL_32 && length < FULL_32) return end;
  const large = Buffer.alloc(56 + 20);
  large.writeUInt32LE(END_64, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(45, 12);
  large.writeUInt16LE(45, 14);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(length), 40);
  large.writeBigUInt64LE(BigInt(start), 48);
  large.writeUInt32LE(LOCATOR_64, 56);
  large.writeBigUInt64LE(BigInt(start + length), 64);
  large.writeUInt32LE(1, 72);
  return Buffer.concat([large, end]);
}
