import type { AttachedBlock, BlobHash, StoredFile, StoredText } from '@bough/core';
import { blobHash } from '@bough/core';
import { createHash } from 'node:crypto';

/**
 * What the server found out about a file, word for word, kept as a blob of its own. A block that a client sends is
 * taken only if its record is there: sizes, pixels and pages go into requests, and a wrong one would be refused by the
 * provider with every later message.
 */
export function recordOf(block: AttachedBlock): Buffer {
  return Buffer.from(`${MARK}${JSON.stringify(recorded(block))}`);
}

export function recordHash(block: AttachedBlock): BlobHash {
  return blobHash(createHash('sha256').update(recordOf(block)).digest('hex'));
}

/** Begins a record, and nothing that is uploaded: otherwise anybody could write one. */
const MARK = '\0Bough record\n';
const MARK_BYTES = Buffer.from(MARK);
export const MARK_LENGTH = MARK_BYTES.length;

export function looksLikeRecord(head: Uint8Array): boolean {
  return MARK_BYTES.equals(head.subarray(0, MARK_LENGTH));
}

/** The block as the server makes it, in one order of keys; `alt` is the person's own. */
export function recorded(block: AttachedBlock): AttachedBlock {
  const { name, file, original } = block;
  const common = { name, file: stored(file), ...(original === undefined ? {} : { original: stored(original) }) };
  switch (block.type) {
    case 'image':
      return { type: 'image', ...common, width: block.width, height: block.height };
    case 'document': {
      const { pages, text } = block;
      return { type: 'document', ...common, ...(pages === undefined ? {} : { pages }), ...textOf(text) };
    }
    case 'audio':
      return { type: 'audio', ...common, ...(block.seconds === undefined ? {} : { seconds: block.seconds }) };
    case 'file':
      return { type: 'file', ...common, ...textOf(block.text) };
  }
}

function stored({ hash, mediaType, size }: StoredFile): StoredFile {
  return { hash, mediaType, size };
}

function textOf(text: StoredText | undefined): { readonly text?: StoredText } {
  return text === undefined ? {} : { text: { ...stored(text), characters: text.characters } };
}
