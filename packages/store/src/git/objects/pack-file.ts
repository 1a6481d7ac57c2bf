import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { diskTrouble, syncDirectory } from '../../on-disk/disk/index.ts';
import type { ObjectType } from '../process/object-reader.ts';
import { packIndex, type PackedObject } from './pack-index.ts';

const deflateAsync = promisify(deflate);

/** An object on its way into a pack. */
export type PackEntry =
  /** Whole, its content as a zlib stream. */
  | {
      readonly oid: string;
      readonly type: ObjectType;
      readonly length: number;
      readonly deflated: () => Promise<Buffer>;
    }
  /** The beginning of another blob in the same pack: takes a few bytes, whatever its length. */
  | { readonly oid: string; readonly length: number; readonly of: { readonly oid: string; readonly length: number } };

/**
 * Writes many objects as one pack with its index: two files to sync instead of thousands. The index comes last: until
 * it is there, git sees none of the objects.
 */
export async function writePackFile(gitDir: string, entries: readonly PackEntry[]): Promise<void> {
  const directory = join(gitDir, 'objects', 'pack');
  const mark = randomBytes(8).toString('hex');
  // Named like git's own unfinished files: `git gc` clears away what a crash leaves.
  const [pack, index] = [join(directory, `tmp_pack_${mark}`), join(directory, `tmp_idx_${mark}`)];
  try {
    await mkdir(directory, { recursive: true });
    const { checksum, objects } = await writeFile(pack, (file) => writeEntries(file, entries));
    await writeFile(index, (file) => file.writeFile(packIndex(objects, checksum)));
    const name = join(directory, `pack-${checksum.toString('hex')}`);
    await rename(pack, `${name}.pack`);
    await rename(index, `${name}.idx`);
    // Loose copies may be removed from now on, so the names must be on the disk first.
    await syncDirectory(directory);
  } catch (cause) {
    for (const path of [pack, index]) await rm(path, { force: true });
    throw diskTrouble(directory, cause);
  }
}

async function writeFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', 0o444);
  try {
    const result = await write(file);
    await file.datasync();
    return result;
  } finally {
    await file.close();
  }
}

/** How many bytes are handed to the disk at once. */
const PORTION_BYTES = 1024 * 1024;

async function writeEntries(
  file: FileHandle,
  entries: readonly PackEntry[],
): Promise<{ readonly checksum: Buffer; readonly objects: readonly PackedObject[] }> {
  const hash = createHash('sha1');
  const objects: PackedObject[] = [];
  let portion: Buffer[] = [packHeader(entries.length)];
  let waiting = 0;
  let offset = 12;
  for (const entry of entries) {
    const parts = await encode(entry);
    const crc = parts.reduce((sum, part) => crc32(part, sum), 0);
    objects.push({ oid: entry.oid, offset, crc });
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    offset += length;
    waiting += length;
    portion.push(...parts);
    if (waiting < PORTION_BYTES) continue;
    const bytes = Buffer.concat(portion);
    hash.update(bytes);
    await file.appendFile(bytes);
    portion = [];
    waiting = 0;
  }
  const rest = Buffer.concat(portion);
  const checksum = hash.update(rest).digest();
  await file.appendFile(Buffer.concat([rest, checksum]));
  return { checksum, objects };
}

function packHeader(count: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  return header;
}

const TYPE_NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const DELTA_OF_OBJECT = 7;

async function encode(entry: PackEntry): Promise<readonly Buffer[]> {
  if ('deflated' in entry) return [entryHeader(TYPE_NUMBERS[entry.type], entry.length), await entry.deflated()];
  const delta = prefixDelta(entry.of.length, entry.length);
  return [entryHeader(DELTA_OF_OBJECT, delta.length), Buffer.from(entry.of.oid, 'hex'), await deflateAsync(delta)];
}

/** Four bits of the size next to the type, then seven at a time, the low ones first. */
function entryHeader(type: number, length: number): Buffer {
  const bytes = [(type << 4) | (length & 0x0f)];
  for (let rest = Math.floor(length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest & 0x7f);
  }
  return Buffer.from(bytes);
}

/** git's instructions for making the first `length` bytes of a base: both lengths, then what to copy. */
function prefixDelta(baseLength: number, length: number): Buffer {
  const bytes = [...sizeBytes(baseLength), ...sizeBytes(length)];
  for (let start = 0; start < length; start += LONGEST_COPY)
    bytes.push(...copy(start, Math.min(LONGEST_COPY, length - start)));
  return Buffer.from(bytes);
}

/** A copy's length has three bytes. */
const LONGEST_COPY = 0xff_ff_ff;

function sizeBytes(size: number): readonly number[] {
  const bytes = [];
  let rest = size;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

/** The first byte says which bytes of offset and length follow: those that are not zero. */
function copy(offset: number, length: number): readonly number[] {
  const fields = [0, 8, 16, 24].map((shift) => (offset >>> shift) & 0xff);
  const lengths = [0, 8, 16].map((shift) => (length >>> shift) & 0xff);
  const all = [...fields, ...lengths];
  const mask = all.reduce((sum, byte, at) => (byte === 0 ? sum : sum | (1 << at)), 0x80);
  return [mask, ...all.filter((byte) => byte !== 0)];
}
