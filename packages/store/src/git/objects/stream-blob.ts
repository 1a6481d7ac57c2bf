import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createDeflate, createInflate, inflateSync } from 'node:zlib';
import { StoreError } from '../../errors.ts';
import { diskTrouble, hasCode } from '../../on-disk/disk/index.ts';
import { type GitPlace, runGit, spawnGit } from '../process/run.ts';
import { inDirectory } from './object-directory.ts';

// Files of any size as git objects: they pass through, and are never in memory as a whole. Other objects are small, and
// are read and written at once (`object-batch.ts`, `read-loose.ts`).

/** Pictures and PDFs are compressed already: looking harder would cost time and save nothing. */
const LEVEL = 1;

/** Writes a loose blob, durably, and returns its id. */
export async function writeBlobObject(
  gitDir: string,
  size: number,
  pieces: AsyncIterable<Uint8Array>,
): Promise<string> {
  const objects = join(gitDir, 'objects');
  // The name starts like git's own temporary files: `git gc` clears away what a crash leaves.
  const temporary = join(objects, `tmp_obj_${randomBytes(8).toString('hex')}`);
  const sha1 = createHash('sha1');
  async function* content(): AsyncIterable<Uint8Array> {
    const header = Buffer.from(`blob ${size}\0`, 'latin1');
    sha1.update(header);
    yield header;
    let passed = 0;
    for await (const piece of pieces) {
      passed += piece.length;
      sha1.update(piece);
      yield piece;
    }
    if (passed !== size) throw new StoreError('corrupt_object', gitDir, `A file of ${size} bytes had ${passed}.`);
  }
  try {
    const file = await open(temporary, 'wx', 0o444);
    try {
      await pipeline(content(), createDeflate({ level: LEVEL }), async (deflated: AsyncIterable<Buffer>) => {
        for await (const bytes of deflated) await writeWhole(file, bytes);
      });
      await file.datasync();
    } finally {
      await file.close();
    }
    const oid = sha1.digest('hex');
    const directory = join(objects, oid.slice(0, 2));
    await inDirectory(directory, () => rename(temporary, join(directory, oid.slice(2))));
    return oid;
  } catch (error) {
    await rm(temporary, { force: true });
    throw diskTrouble(objects, error);
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
}

/** Enough compressed bytes for the header to come out: a table of codes may stand before it. */
const HEADER_BYTES = 4096;
const HEADER = /^blob (\d+)\0/;

/** Null where there is no such blob. */
export async function sizeOfBlob(place: GitPlace, oid: string): Promise<number | null> {
  const loose = await openLoose(place.gitDir, oid);
  if (loose === null) {
    const answer = await runGit(place, ['cat-file', '--batch-check'], `${oid}\n`);
    const size = /^[0-9a-f]{40} blob (\d+)\n/.exec(answer)?.[1];
    return size === undefined ? null : Number(size);
  }
  try {
    const { buffer, bytesRead } = await loose.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const start = inflateSync(buffer.subarray(0, bytesRead), { finishFlush: constants.Z_SYNC_FLUSH });
    const size = HEADER.exec(start.toString('latin1', 0, 64))?.[1];
    return size === undefined ? null : Number(size);
  } catch (error) {
    // Damaged: reading it says so.
    if (hasCode(error, 'Z_DATA_ERROR', 'Z_BUF_ERROR')) return null;
    throw error;
  } finally {
    await loose.close();
  }
}

/** The bytes of a blob from `start` on. Nothing is opened before the first piece is asked for. */
export async function* readBlobObject(place: GitPlace, oid: string, start = 0): AsyncIterable<Uint8Array> {
  const loose = await openLoose(place.gitDir, oid);
  yield* skipping(loose === null ? packed(place, oid) : inflated(loose), start);
}

async function* skipping(pieces: AsyncIterable<Buffer>, start: number): AsyncIterable<Uint8Array> {
  let left = start;
  for await (const piece of pieces) {
    if (piece.length > left) yield left === 0 ? piece : piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

async function* inflated(file: FileHandle): AsyncIterable<Buffer> {
  const source = file.createReadStream({ highWaterMark: 64 * 1024 });
  const inflate = createInflate({ chunkSize: 64 * 1024 });
  source.on('error', (error) => inflate.destroy(error));
  source.pipe(inflate);
  try {
    let isHeader = true;
    for await (const bytes of inflate as AsyncIterable<Buffer>) {
      // Forty bytes at most, so it is within the first piece.
      const content: Buffer = isHeader ? bytes.subarray(bytes.indexOf(0) + 1) : bytes;
      isHeader = false;
      if (content.length > 0) yield content;
    }
  } finally {
    source.destroy();
    inflate.destroy();
    await file.close();
  }
}

async function* packed(place: GitPlace, oid: string): AsyncIterable<Buffer> {
  const child = spawnGit(place, ['cat-file', 'blob', oid]);
  child.stdin.end();
  child.stderr.resume();
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
    child.once('error', () => resolve(null));
  });
  try {
    for await (const bytes of child.stdout as AsyncIterable<Buffer>) yield bytes;
  } finally {
    // Whoever reads no further does not wait for the rest.
    child.kill('SIGKILL');
  }
  const code = await ended;
  if (code === 0) return;
  const { gitDir } = place;
  const message = `The object ${oid} in ${gitDir} cannot be read. Run "git fsck" there, and restore it from a clone or a backup.`;
  throw new StoreError('corrupt_object', `${gitDir} ${oid}`, message);
}

async function openLoose(gitDir: string, oid: string): Promise<FileHandle | null> {
  try {
    return await open(join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2)), 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw diskTrouble(gitDir, error);
  }
}
