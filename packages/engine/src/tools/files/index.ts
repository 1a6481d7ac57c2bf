import type { AttachedBlock, StoredFile } from '@bough/core';
import { pdfPages, sniff } from '@bough/providers';
import type { BlobStore } from '@bough/store';

/** A file as it came from a tool. What it says about itself is not believed. */
export interface BroughtFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Keeps a file, and names it as a block; null if it cannot be kept. */
export type KeepFile = (file: BroughtFile) => Promise<AttachedBlock | null>;

/** A tool must not fill the disk. */
const MOST_BYTES = 64 * 1024 * 1024;

export function keepFilesIn(blobs: Pick<BlobStore, 'put'>): KeepFile {
  return async (brought) => {
    if (brought.bytes.length === 0 || brought.bytes.length > MOST_BYTES) return null;
    const { hash, size } = await blobs.put(onePiece(brought.bytes), { limit: MOST_BYTES });
    return blockOf(brought, (mediaType) => ({ hash, size, mediaType }));
  };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield await Promise.resolve(bytes);
}

function blockOf({ name, mediaType, bytes }: BroughtFile, stored: (mediaType: string) => StoredFile): AttachedBlock {
  const { mediaType: found, width, height } = sniff(bytes);
  if (found?.startsWith('image/') === true && width > 0 && height > 0) {
    return { type: 'image', name, file: stored(found), width, height };
  }
  if (found === 'application/pdf') return { type: 'document', name, file: stored(found), pages: pdfPages(bytes) };
  if (found?.startsWith('audio/') === true) return { type: 'audio', name, file: stored(found) };
  const file = stored(found ?? (mediaType === '' ? 'application/octet-stream' : mediaType));
  const characters = textLength(bytes);
  return { type: 'file', name, file, ...(characters !== null && { text: { ...file, characters } }) };
}

/** How many characters it has as UTF-8; null if it is none. */
function textLength(bytes: Uint8Array): number | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text.length;
  } catch {
    return null;
  }
}
