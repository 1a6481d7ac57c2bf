import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { StoreError } from '../../errors.ts';
import { spawnGit, startFailure } from '../process/run.ts';
import type { ObjectType } from '../process/object-reader.ts';

/** An object on its way into a pack: its size, and its content as a zlib stream. */
export interface PackEntry {
  readonly type: ObjectType;
  readonly length: number;
  readonly deflated: () => Promise<Buffer>;
}

const TYPE_NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };

/**
 * Hands many objects to git as one pack: two files to force to the disk instead of thousands. git checks and names the pack;
 * until it has done so, none of the objects is there.
 */
export async function writePack(gitDir: string, entries: readonly PackEntry[]): Promise<number> {
  const child = spawnGit(gitDir, ['-c', 'core.fsync=all', 'index-pack', '--stdin']);
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  child.stdout.resume();
  child.stdin.on('error', () => child.stdin.destroy());
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', (error) => reject(startFailure(error)));
  });

  const hash = createHash('sha1');
  let bytes = 0;
  const send = async (part: Buffer): Promise<void> => {
    hash.update(part);
    bytes += part.length;
    if (!child.stdin.destroyed && !child.stdin.write(part)) await Promise.race([once(child.stdin, 'drain'), ended]);
  };
  await send(packHeader(entries.length));
  for (const entry of entries) {
    await send(entryHeader(entry));
    await send(await entry.deflated());
  }
  child.stdin.end(hash.digest());
  if ((await ended) === 0) return bytes;
  const full = complaint.includes('No space left') || complaint.includes('File too large');
  throw new StoreError(
    full ? 'disk_full' : 'git_failed',
    gitDir,
    full
      ? `The disk that holds ${gitDir} is full. Make room and try again.`
      : `git index-pack failed in ${gitDir}: ${complaint.trim()}`,
  );
}

function packHeader(count: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  return header;
}

/** Four bits of the size beside the type, then seven at a time, the low ones first. */
function entryHeader({ type, length }: PackEntry): Buffer {
  const bytes: number[] = [(TYPE_NUMBERS[type] << 4) | (length & 0x0f)];
  for (let rest = Math.floor(length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest & 0x7f);
  }
  return Buffer.from(bytes);
}
