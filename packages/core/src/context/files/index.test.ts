import { describe, expect, it } from 'vitest';
import type { AttachedBlock } from '../../blocks/index.ts';
import { blobHash } from '../../entities/index.ts';
import { sha256 } from '../../hash/index.ts';
import { fateOf } from './index.ts';

const file = (mediaType: string) => ({ hash: blobHash(sha256(mediaType)), mediaType, size: 9 });
const text = { ...file('text/plain'), characters: 9 };
const picture: AttachedBlock = { type: 'image', name: 'a.png', file: file('image/png'), width: 4, height: 3 };
const scan: AttachedBlock = { type: 'document', name: 'scan.pdf', file: file('application/pdf'), pages: 1 };
const paper: AttachedBlock = { ...scan, text };
const notes: AttachedBlock = { type: 'file', name: 'notes.md', file: file('text/plain'), text };
const archive: AttachedBlock = { type: 'file', name: 'a.zip', file: file('application/zip') };

describe('what becomes of a file', () => {
  it('CX-74: it is sent, or its text, or a line that names it, or nothing, as the model and the branch have it', () => {
    const fates = (takes: readonly string[], otherwise: 'text' | 'omit') =>
      [picture, paper, scan, notes, archive].map((block) => fateOf(block, takes, otherwise));
    expect(fates(['image/png', 'application/pdf'], 'text')).toEqual([null, null, null, null, 'line']);
    expect(fates([], 'text')).toEqual(['line', 'text', 'line', null, 'line']);
    expect(fates([], 'omit')).toEqual(['omit', 'omit', 'omit', null, 'omit']);
  });
});
