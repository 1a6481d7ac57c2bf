import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { ForeignFile } from '../../files/foreign-file.ts';
import { foreignFile } from '../../files/foreign-file.ts';
import type { HeldFile, HeldFiles } from '../../files/held-files.ts';

/** A file whose bytes stand in the session, as base64. */
export interface InlineFile {
  readonly data: string;
  readonly mediaType: string | null;
  readonly name: string | null;
}

/** Collects the files of a session, and names them in its messages. */
export class InlineFiles {
  readonly files = new Map<string, InlineFile>();

  add(kind: string, file: InlineFile): ForeignFile {
    const id = `inline-${createHash('sha256').update(file.data).digest('hex')}`;
    this.files.set(id, file);
    return foreignFile(kind, { ids: [id], name: file.name, mediaType: file.mediaType });
  }
}

const DATA_URL = /^data:([^;,]*)(?:;[^,]*)?;base64,/;

/** A file that is written as a `data:` address; null for any other address. */
export function inlineOf(url: string, name: string | null = null): InlineFile | null {
  const found = DATA_URL.exec(url);
  if (found === null) return null;
  return { data: url.slice(found[0].length), mediaType: found[1] === '' ? null : (found[1] ?? null), name };
}

export function heldInline(files: ReadonlyMap<string, InlineFile>): HeldFiles {
  return {
    find: ({ ids }): HeldFile | undefined => {
      for (const id of ids) {
        const file = files.get(id);
        if (file === undefined) continue;
        const bytes = Buffer.from(file.data, 'base64');
        return { path: id, size: bytes.length, copyTo: (path) => writeFile(path, bytes, { flag: 'wx', mode: 0o600 }) };
      }
      return undefined;
    },
    nameOf: ({ name, mediaType }) => name ?? `picture.${mediaType?.split('/')[1] ?? 'bin'}`,
  };
}
