import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { diskTrouble } from '../../on-disk/disk/index.ts';
import type { ObjectType } from '../process/object-reader.ts';
import { inDirectory } from './object-directory.ts';
import { objectHeader, objectId } from './object.ts';
import { encodeText, type PathText, textHeader, textId } from './path-text.ts';
import { writePackFile } from './pack-file.ts';

const deflateAsync = promisify(deflate);

/**
 * The objects made by one write. They are put on the disk together, before any ref points to them; what is not flushed
 * leaves no trace.
 */
export interface ObjectBatch {
  readonly add: (type: ObjectType, content: Buffer) => string;
  /** `begins` is the blob that the text begins with, if the text was made by appending to one. */
  readonly addText: (text: PathText, begins?: string) => string;
  /** Resolves when every object is durable. */
  readonly flush: () => Promise<Written>;
}

/** The loose objects that a flush wrote, for housekeeping. */
export interface Written {
  readonly bytes: number;
  readonly count: number;
  readonly texts: readonly WrittenText[];
}

export interface WrittenText {
  readonly oid: string;
  readonly length: number;
  readonly begins: string | null;
}

export const NOTHING_WRITTEN: Written = { bytes: 0, count: 0, texts: [] };

interface Pending {
  readonly type: ObjectType;
  readonly length: number;
  /** The content as a zlib stream: its form in a pack. */
  readonly deflated: () => Promise<Buffer>;
  /** The content after its header: the form of a loose object. */
  readonly loose: () => Promise<Buffer>;
  readonly text: WrittenText | null;
}

/** From this many on, one pack is less work than separate files: an import, not a turn. */
const WORTH_A_PACK = 400;

/** Objects written concurrently: their syncs share the disk's work. */
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
        text: null,
      });
      return oid;
    },
    addText: (text, begins) => {
      const oid = textId(text);
      pending.set(oid, {
        type: 'blob',
        length: text.length,
        deflated: async () => Buffer.concat(await encodeText(text)),
        loose: async () => Buffer.concat(await encodeText(text, textHeader(text))),
        text: { oid, length: text.length, begins: begins ?? null },
      });
      return oid;
    },
    flush: async () => {
      const objects = [...pending];
      pending.clear();
      if (objects.length >= WORTH_A_PACK) {
        await writePackFile(
          gitDir,
          objects.map(([oid, object]) => ({ ...object, oid })),
        );
        return NOTHING_WRITTEN;
      }
      let bytes = 0;
      for (let start = 0; start < objects.length; start += AT_ONCE) {
        const group = objects.slice(start, start + AT_ONCE);
        const sizes = await Promise.all(group.map(async ([oid, { loose }]) => writeLoose(gitDir, oid, await loose())));
        bytes += sizes.reduce((sum, size) => sum + size, 0);
      }
      return { bytes, count: objects.length, texts: objects.flatMap(([, { text }]) => text ?? []) };
    },
  };
}

// The name starts like git's own temporary files: `git gc` clears away what a crash leaves.
async function writeLoose(gitDir: string, oid: string, encoded: Buffer): Promise<number> {
  const directory = join(gitDir, 'objects', oid.slice(0, 2));
  const temporary = join(directory, `tmp_obj_${randomBytes(8).toString('hex')}`);
  try {
    const file = await inDirectory(directory, () => open(temporary, 'wx', 0o444));
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
