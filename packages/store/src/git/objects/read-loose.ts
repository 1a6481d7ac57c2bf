import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflate, type ZlibOptions } from 'node:zlib';
import { hasCode } from '../../on-disk/disk/index.ts';
import { type GitObject, MOST_BYTES, type ObjectType } from '../process/object-reader.ts';

const inflateAsync: (bytes: Buffer, options: ZlibOptions) => Promise<Buffer> = promisify(inflate);

/**
 * An object that has not been packed yet: what a young project consists of, and what was written last. Null where it is
 * packed or damaged: then git is asked, and says what is wrong.
 */
export async function readLooseObject(gitDir: string, oid: string): Promise<GitObject | null> {
  try {
    const packed = await readFile(join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2)));
    const bytes = await inflateAsync(packed, { maxOutputLength: MOST_BYTES });
    const end = bytes.indexOf(0);
    const [type = '', size = ''] = bytes.toString('latin1', 0, end).split(' ');
    const content = bytes.subarray(end + 1);
    return Number(size) === content.length ? { oid, type: type as ObjectType, content } : null;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EISDIR') || isDamage(error)) return null;
    throw error;
  }
}

const isDamage = (error: unknown): boolean =>
  hasCode(error, 'Z_DATA_ERROR', 'Z_BUF_ERROR', 'Z_NEED_DICT', 'ERR_BUFFER_TOO_LARGE');
