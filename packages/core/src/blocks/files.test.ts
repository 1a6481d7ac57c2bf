import { describe, expect, it } from 'vitest';
import { blobHash } from '../entities/index.ts';
import { messageOf } from '../messages/index.ts';
import type { AudioBlock, ContentBlock, DocumentBlock, FileBlock, ImageBlock, StoredFile } from './index.ts';
import {
  blobsOf,
  isAttachedBlock,
  isAudioBlock,
  isDocumentBlock,
  isFileBlock,
  isImageBlock,
  isKnownBlock,
} from './index.ts';

const hash = (digit: string) => blobHash(digit.repeat(64));
const stored = (digit: string, mediaType: string): StoredFile => ({ hash: hash(digit), mediaType, size: 3 });

const image: ImageBlock = {
  type: 'image',
  name: 'a.png',
  file: stored('a', 'image/png'),
  original: stored('b', 'image/tiff'),
  width: 8,
  height: 6,
  alt: 'a bough',
};
const document: DocumentBlock = {
  type: 'document',
  name: 'a.pdf',
  file: stored('c', 'application/pdf'),
  pages: 2,
  text: { ...stored('d', 'text/plain'), characters: 3 },
};
const audio: AudioBlock = { type: 'audio', name: 'a.wav', file: stored('e', 'audio/wav'), seconds: 1.5 };
const file: FileBlock = {
  type: 'file',
  name: 'a.csv',
  file: stored('f', 'text/csv'),
  text: { ...stored('f', 'text/csv'), characters: 3 },
};

describe('files', () => {
  const known: [string, ContentBlock, (block: ContentBlock) => boolean][] = [
    ['image', image, isImageBlock],
    ['document', document, isDocumentBlock],
    ['audio', audio, isAudioBlock],
    ['file', file, isFileBlock],
  ];

  it.each(known)('BL-10: %s is told from every other type', (_, block, guard) => {
    expect(known.filter(([, other]) => guard(other)).map(([, other]) => other)).toEqual([block]);
    expect(isKnownBlock(block)).toBe(true);
  });

  it.each<[string, ContentBlock]>([
    ['an image without pixels', { type: 'image', name: 'a.png', file: image.file }],
    ['an image by address', { type: 'image', url: 'https://example.org/a.png' }],
    ['a hash that is none', { ...image, file: { ...image.file, hash: 'A'.repeat(64) } }],
    ['a size that is none', { ...audio, file: { ...audio.file, size: -1 } }],
    ['an original that is none', { ...audio, original: {} }],
    ['a text without a length', { ...document, text: document.file }],
    ['pages that are none', { ...document, pages: 1.5 }],
    ['a text of a file that is none', { ...file, text: 'a,b' }],
  ])('BL-11: %s is a custom block, and refers to nothing', (_, block) => {
    expect(isAttachedBlock(block)).toBe(false);
    expect(isKnownBlock(block)).toBe(false);
    expect(blobsOf([block])).toEqual([]);
  });

  it('BL-12: blobs are what is sent, the original and the text, each once and in order', () => {
    const blocks: ContentBlock[] = [{ type: 'text', text: 'x' }, image, document, audio, file, image];
    expect(blobsOf(blocks)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map(hash));
  });

  it.each(['user', 'tool', 'assistant'] as const)('BL-13: a %s message holds files', (role) => {
    const blocks = [image, document, audio, file];
    expect(messageOf(role, blocks, role === 'tool' ? 'call' : null).content).toBe(blocks);
  });

  it('BL-13: neither does a system message, nor a user message with a file of another shape', () => {
    expect(() => messageOf('system', [image])).toThrow('text blocks only');
    expect(() => messageOf('user', [{ type: 'image', url: 'x' }])).toThrow('text and files only');
  });
});
