import type { AttachedBlock } from '../blocks/index.ts';

/** Tokens per character of text whose language is unknown: a little more than English takes. */
const TOKENS_PER_CHARACTER = 0.3;
/** What a page of a document costs as a picture, and as its text where that is not known. */
const PAGE_PICTURE = 1_600;
const PAGE_TEXT = 800;
const TOKENS_PER_SECOND = 32;
const UNKNOWN_SECONDS = 60;
const IMAGE_PATCH = 28;
const MOST_PATCHES = 4_784;

/** What a file costs a model of which nothing more is known: the most that a provider in use takes. */
export function estimateFileTokens(block: AttachedBlock): number {
  switch (block.type) {
    case 'image': {
      const patches = Math.ceil(block.width / IMAGE_PATCH) * Math.ceil(block.height / IMAGE_PATCH);
      return Math.max(1, Math.min(patches, MOST_PATCHES));
    }
    case 'document': {
      const pages = block.pages ?? 1;
      const text = block.text === undefined ? pages * PAGE_TEXT : estimateTextTokens(block.text.characters);
      return pages * PAGE_PICTURE + text;
    }
    case 'audio':
      return Math.ceil((block.seconds ?? UNKNOWN_SECONDS) * TOKENS_PER_SECOND);
    case 'file':
      return estimateTextTokens(block.text?.characters ?? 0);
  }
}

/** For a text of which only the length is known. */
export function estimateTextTokens(characters: number): number {
  return Math.ceil(characters * TOKENS_PER_CHARACTER);
}
