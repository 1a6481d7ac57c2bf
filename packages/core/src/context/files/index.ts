import type { AttachedBlock, ContentBlock, FileBlock } from '../../blocks/index.ts';
import { isAttachedBlock, isTextBlock } from '../../blocks/index.ts';
import { deriveTextFromBlocks } from '../../derive/index.ts';

/** The message that a file is part of. */
export interface FileWhere {
  readonly role: 'user' | 'tool' | 'assistant';
  /** A result that reports a failure. */
  readonly isError: boolean;
}

/** What the files of one request may come to. What is absent has no limit. */
export interface FileLimits {
  readonly images?: number;
  /** Pages of documents. */
  readonly pages?: number;
  /** The files as they are sent, in base64. */
  readonly bytes?: number;
  /** With more pictures than `count`, none may have a side longer than `side`. */
  readonly manyImages?: { readonly count: number; readonly side: number };
}

/** What becomes of files that a model does not take: their text, else a line that names them; or nothing. */
export const FILES_OTHERWISE = ['text', 'omit'] as const;
export type FilesOtherwise = (typeof FILES_OTHERWISE)[number];

/** What a model does with files. */
export interface FilePolicy {
  /** Whether it takes the file itself there. */
  readonly takes: (block: AttachedBlock, where: FileWhere) => boolean;
  readonly limits: FileLimits;
  /** What a file costs in tokens, if it is sent. */
  readonly tokens: (block: AttachedBlock) => number;
  readonly otherwise: FilesOtherwise;
}

/** How many bytes base64 takes for as many bytes. */
export function base64Length(size: number): number {
  return Math.ceil(size / 3) * 4;
}

/** Names a file where the file itself is not sent: the model learns that there was one. */
export function fileAsLine(block: AttachedBlock): string {
  const facts = [plain(block.name), ...factsOf(block)].filter((fact) => fact !== '');
  return `[${NOUNS[block.type]}: ${facts.join(', ')}]`;
}

const NOUNS = { image: 'picture', document: 'document', audio: 'audio', file: 'file' } as const;

function factsOf(block: AttachedBlock): readonly string[] {
  switch (block.type) {
    case 'image':
      return [`${block.width} × ${block.height}`, plain(block.alt ?? '')];
    case 'document':
      return block.pages === undefined ? [] : [block.pages === 1 ? '1 page' : `${block.pages} pages`];
    case 'audio':
      return block.seconds === undefined ? [] : [`${Math.ceil(block.seconds)} s`];
    case 'file':
      return [plain(block.file.mediaType), `${block.file.size} bytes`];
  }
}

/** One line, without the brackets that would end it. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[[\]]/g, '')
    .trim();
}

/** The text of a document as a file of its own: that is how it is sent to a model that does not read documents. */
export function textOfFile(block: AttachedBlock): FileBlock | null {
  if ((block.type !== 'document' && block.type !== 'file') || block.text === undefined) return null;
  return { type: 'file', name: block.name, file: block.text, text: block.text };
}

/** What a model gets in place of a file that it does not take: its text, a line that names it, or nothing. */
export type FileFate = 'text' | 'line' | 'omit';

/** Null: the file itself is sent. `takes` are the media types that the model takes in a message. */
export function fateOf(block: AttachedBlock, takes: readonly string[], otherwise: FilesOtherwise): FileFate | null {
  const hasText = textOfFile(block) !== null;
  if (block.type === 'file' ? hasText : takes.includes(block.file.mediaType)) return null;
  if (otherwise === 'omit') return 'omit';
  return hasText ? 'text' : 'line';
}

/** Blocks as one text, in which files are named. */
export function textNamingFiles(blocks: readonly ContentBlock[]): string {
  if (!blocks.some(isAttachedBlock)) return deriveTextFromBlocks(blocks);
  return blocks
    .flatMap((block) => (isTextBlock(block) ? [block.text] : isAttachedBlock(block) ? [fileAsLine(block)] : []))
    .filter((text) => text !== '')
    .join('\n');
}
