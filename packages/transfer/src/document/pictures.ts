import type { StoredFile } from '@bough/core';
import type { ReadBlob } from '@bough/store';
import type { DocumentGroup, DocumentInput } from './content.ts';
import { filesOf } from './content.ts';

/** What a page holds of pictures; twenty fitted ones fit. Those after them are named. */
const MOST_BYTES = 24_000_000;
/** What fitting makes. Anything else could be a drawing that runs scripts. */
const SHOWN: ReadonlySet<string> = new Set(['image/jpeg', 'image/png']);

/** The pictures of a branch as addresses that hold their bytes, so that a page needs nothing beside it. */
export async function picturesOf(
  groups: readonly DocumentGroup[],
  read: (file: StoredFile) => Promise<ReadBlob['bytes'] | undefined>,
  mostBytes = MOST_BYTES,
): Promise<NonNullable<DocumentInput['addressOf']>> {
  const addresses = new Map<string, string>();
  let left = mostBytes;
  for (const group of groups) {
    const { user, reply, tools } = filesOf(group);
    for (const { type, file } of [...user, ...reply, ...tools]) {
      if (type !== 'image' || !SHOWN.has(file.mediaType) || addresses.has(file.hash) || file.size > left) continue;
      const bytes = await read(file);
      if (bytes === undefined) continue;
      const pieces: Uint8Array[] = [];
      for await (const piece of bytes) pieces.push(piece);
      addresses.set(file.hash, `data:${file.mediaType};base64,${Buffer.concat(pieces).toString('base64')}`);
      left -= file.size;
    }
  }
  return ({ hash }) => addresses.get(hash);
}
