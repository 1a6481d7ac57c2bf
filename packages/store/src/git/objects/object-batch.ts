import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { diskTrouble, hasCode } from '../../files/disk/index.ts';
import type { ObjectType } from '../process/object-reader.ts';
import { objectHeader, objectId } from './object.ts';
import { encodeText, type PathText, textHeader, textId } from './path-text.ts';
import { type PackEntry, writePack } from './write-pack.ts';

const deflateAsync = promisify(deflate);

/**
 * Objects that one write makes. They are put on the disk together, before any ref points to them; what is not flushed leaves
 * no trace.
 */
export interface ObjectBatch {
  readonly add: (type: ObjectType, content: Buffer) => string;
  readonly addText: (text: PathText) => string;
  /** Resolves when every object is durable. */
  readonly flush: () => Promise<{ readonly bytes: number; readonly count: number }>;
}

interface Pending extends PackEntry {
  /** The content behind its header, as a zlib stream: the form of a loose object. */
  readonly loose: () => Promise<Buffer>;
}

/** From this many on, one pack is less work than as many files: an import, not a turn. */
const WORTH_A_PACK = 400;

/** Objects that are written side by side: their syncs share the disk's work. */
const AT_ONCE = 32;

export function createObjectBatch(gitDir: string): ObjectBatch {
  const pending = new Map<string, Pending>();
  return {
    add: (type, content) => {
      const oid = objectId(type, [content]);
      pending.set(oid, {
        type,
        length: content.length,
        deflated: () => deflateAsync(content),
        loose: () => deflateAsync(Buffer.concat([objectHeader(type, [content]), content])),
      });
      return oid;
    },
    addText: (text) => {
      const oid = textId(text);
      pending.set(oid, {
        type: 'blob',
        length: text.length,
        deflated: async () => Buffer.concat(await encodeText(text)),
        loose: async () => Buffer.concat(await encodeText(text, textHeader(text))),
      });
      return oid;
    },
    flush: async () => {
      const objects = [...pending];
      pending.clear();
      if (objects.length >= WORTH_A_PACK) {
        await writePack(
          gitDir,
          objects.map(([, object]) => object),
        );
        // Packed already: nothing for the housekeeping to do.
        return { bytes: 0, count: 0 };
      }
      let bytes = 0;
      for (let start = 0; start < objects.length; start += AT_ONCE) {
        const group = objects.slice(start, start + AT_ONCE);
        const sizes = await Promise.all(group.map(async ([oid, { loose }]) => writeLoose(gitDir, oid, await loose())));
        bytes += sizes.reduce((sum, size) => sum + size, 0);
      }
      return { bytes, count: objects.length };
    },
  };
}

// The name starts as git's own: `git gc` clears away what a crash leaves under it.
async function writeLoose(gitDir: string, oid: string, encoded: Buffer): Promise<number> {
  const directory = join(gitDir, 'objects', oid.slice(0, 2));
  const temporary = join(directory, `tmp_obj_${randomBytes(8).toString('hex')}`);
  try {
    const file = await openIn(directory, temporary);
    try {
      await file.writeFile(encoded);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(directory, oid.slice(2)));
    return encoded.length;
  } catch (cause) {
    await rm(temporary, { force: true });
    throw diskTrouble(directory, cause);
  }
}

async function openIn(directory: string, path: string) {
  try {
    return await open(path, 'wx', 0o444);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    await mkdir(directory, { recursive: true });
    return open(path, 'wx', 0o444);
  }
}
