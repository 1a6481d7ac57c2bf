import { createHash } from 'node:crypto';
import type { AttachedBlock, BlobHash, ContentBlock, StoredFile } from '@bough/core';
import { blobHash, emptied } from '@bough/core';
import type { ReadBlob } from '@bough/providers';
import { jpegBytes, pdfBytes, pngBytes, wavBytes } from '@bough/providers';

const BYTES = new Map<BlobHash, Uint8Array>();

function stored(bytes: Uint8Array, mediaType: string): StoredFile {
  const hash = blobHash(createHash('sha256').update(bytes).digest('hex'));
  BYTES.set(hash, bytes);
  return { hash, mediaType, size: bytes.length };
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (words: string) => ({ ...stored(utf8(words), 'text/plain'), characters: words.length });

const image = (name: string, bytes: Uint8Array, width: number, height: number, type = 'image/png'): AttachedBlock => ({
  type: 'image',
  name,
  file: stored(bytes, type),
  width,
  height,
  alt: 'a bough',
});

function paper(name: string, bytes: Buffer): AttachedBlock {
  const pages = bytes.toString('latin1').match(/\/Type\/Page\//g)?.length ?? 0;
  return { type: 'document', name, file: stored(bytes, 'application/pdf'), pages };
}

const SMALL = image('small.png', pngBytes(80, 60), 80, 60);
const TINY = image('tiny.png', pngBytes(5, 5), 5, 5);
const WIDE = { ...image('wide "one".png', pngBytes(2500, 90), 2500, 90), alt: 'half \ud800 a character' };
const HUGE = image('huge.png', pngBytes(9000, 9000), 9000, 9000);
const PHOTO = image('photo.jpg', jpegBytes(640, 480), 640, 480, 'image/jpeg');
const MOVING = image('moving.gif', utf8('GIF89a\x10\0\x10\0\0\0\0'), 16, 16, 'image/gif');
const OTHER = image('old.tiff', utf8('II*\0'), 16, 16, 'image/tiff');
const PAPER: AttachedBlock = {
  type: 'document',
  name: 'paper',
  file: stored(pdfBytes(3), 'application/pdf'),
  original: stored(pdfBytes(3, 'as it was'), 'application/pdf'),
  pages: 3,
  text: text('Page 1\n“Trees” \\ branch.\nPage 2'),
};
const SCAN: AttachedBlock = {
  type: 'document',
  name: 'scan.pdf',
  file: stored(pdfBytes(2), 'application/pdf'),
  pages: 2,
};
const SOUND: AttachedBlock = {
  type: 'audio',
  name: 'song.wav',
  file: stored(wavBytes(800), 'audio/wav'),
  seconds: 0.1,
};
const TABLE: AttachedBlock = {
  type: 'file',
  name: 'table.csv',
  file: stored(utf8('tree,height\n"oak",20\n漢字,3\u2028\n'), 'text/csv'),
  text: text('tree,height\n"oak",20\n漢字,3\u2028\n'),
};
const EMPTY: AttachedBlock = { type: 'file', name: 'empty.txt', file: stored(utf8(''), 'text/plain'), text: text('') };
const ARCHIVE: AttachedBlock = { type: 'file', name: 'all.zip', file: stored(utf8('PK\x03\x04'), 'application/zip') };

/** Every block is a new object, as it is when a store reads it. */
const times = (count: number, block: AttachedBlock): readonly AttachedBlock[] =>
  Array.from({ length: count }, () => ({ ...block }));

/** What comes with a message, or with the result of a tool. */
export const FILES: readonly (readonly ContentBlock[])[] = [
  [SMALL],
  [PAPER, TABLE],
  [SOUND],
  [PHOTO, SMALL, SCAN],
  [MOVING, OTHER, TINY],
  times(6, WIDE),
  times(9, SMALL),
  [TABLE, EMPTY],
  [ARCHIVE, HUGE],
];

/** A few bytes at a time, so that characters and groups of base64 are cut anywhere. */
export const readBlob: ReadBlob = (hash) => {
  const bytes = BYTES.get(hash);
  if (bytes === undefined) return Promise.resolve(undefined);
  return Promise.resolve({ size: bytes.length, bytes: inPieces(bytes) });
};

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += 7) {
    await Promise.resolve();
    yield bytes.subarray(at, at + 7);
  }
}

/** The blocks of a reply as the engine stores them: its pictures and papers are files. */
export function keptFiles(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks.flatMap((block) => {
    const made = emptied(block);
    if (made === null) return [block];
    const files = made.files.map(({ name, data }) => {
      const bytes = Buffer.from(data, 'base64');
      if (name.endsWith('.pdf')) return paper(name, bytes);
      return image(name, bytes, bytes.readUInt32BE(16), bytes.readUInt32BE(20));
    });
    return [made.bare, ...files];
  });
}

/** A file as it stands in a raw reply. */
export function base64Of({ file }: AttachedBlock): string {
  return Buffer.from(BYTES.get(file.hash) ?? []).toString('base64');
}
