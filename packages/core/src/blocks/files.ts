import type { BlobHash } from '../entities/index.ts';
import type { ContentBlock } from './index.ts';
import { isPlainObject } from './plain-object.ts';

/** Bytes in the blob store, by what they are. */
export interface StoredFile {
  readonly hash: BlobHash;
  readonly mediaType: string;
  readonly size: number;
}

/** A text that was taken out of a file: UTF-8 in the blob store. */
export interface StoredText extends StoredFile {
  readonly characters: number;
}

/** A file in a message. It was fitted once, when it was attached: the same bytes go into every request. */
export interface Attached {
  readonly name: string;
  /** What is sent. */
  readonly file: StoredFile;
  /** As the person gave it, or the model made it, where that is something else. */
  readonly original?: StoredFile;
  /** Made by a model while it was thinking: people may see it, other models never do. */
  readonly inThought?: true;
}

export interface ImageBlock extends Attached {
  readonly type: 'image';
  readonly width: number;
  readonly height: number;
  readonly alt?: string;
}

/** A PDF. */
export interface DocumentBlock extends Attached {
  readonly type: 'document';
  readonly pages?: number;
  /** Its text, page by page, for models that do not read PDFs. */
  readonly text?: StoredText;
}

export interface AudioBlock extends Attached {
  readonly type: 'audio';
  readonly seconds?: number;
}

/** Any other file. One that is text goes as text, with its name. */
export interface FileBlock extends Attached {
  readonly type: 'file';
  readonly text?: StoredText;
}

export type AttachedBlock = ImageBlock | DocumentBlock | AudioBlock | FileBlock;

export const isBlobHash = (value: unknown): value is BlobHash =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

export const isImageBlock = (block: ContentBlock): block is ImageBlock =>
  isAttachedAs('image', block) &&
  isCount(block['width']) &&
  isCount(block['height']) &&
  (block['alt'] === undefined || typeof block['alt'] === 'string');

export const isDocumentBlock = (block: ContentBlock): block is DocumentBlock =>
  isAttachedAs('document', block) &&
  (block['pages'] === undefined || isCount(block['pages'])) &&
  (block['text'] === undefined || isStoredText(block['text']));

export const isAudioBlock = (block: ContentBlock): block is AudioBlock =>
  isAttachedAs('audio', block) && (block['seconds'] === undefined || isAmount(block['seconds']));

export const isFileBlock = (block: ContentBlock): block is FileBlock =>
  isAttachedAs('file', block) && (block['text'] === undefined || isStoredText(block['text']));

export const isAttachedBlock = (block: ContentBlock): block is AttachedBlock =>
  isImageBlock(block) || isDocumentBlock(block) || isAudioBlock(block) || isFileBlock(block);

/** The blobs that blocks refer to, each once: what is sent, the original, and the text. */
export function blobsOf(blocks: readonly ContentBlock[]): readonly BlobHash[] {
  return [...new Set(blocks.filter(isAttachedBlock).flatMap((block) => storedFilesOf(block).map(({ hash }) => hash)))];
}

export function storedFilesOf(block: AttachedBlock): readonly StoredFile[] {
  const text = 'text' in block ? block.text : undefined;
  return [block.file, block.original, text].filter((file) => file !== undefined);
}

function isAttachedAs(type: string, block: ContentBlock): block is ContentBlock & Readonly<Record<string, unknown>> {
  if (block.type !== type) return false;
  const { name, file, original } = block as Readonly<Record<string, unknown>>;
  return typeof name === 'string' && isStoredFile(file) && (original === undefined || isStoredFile(original));
}

function isStoredFile(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    isBlobHash(value['hash']) &&
    typeof value['mediaType'] === 'string' &&
    isCount(value['size'])
  );
}

function isStoredText(value: unknown): boolean {
  return isStoredFile(value) && isPlainObject(value) && isCount(value['characters']);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
