import type { AttachedBlock, FilesOtherwise } from '@bough/core';

/** What a model gets in place of a file that it does not take: its text, a line that names it, or nothing. */
export type FileFate = 'text' | 'line' | 'omit';

/** Null: the file itself is sent. `takes` are the media types that the model takes. */
export function fateOf(block: AttachedBlock, takes: readonly string[], otherwise: FilesOtherwise): FileFate | null {
  const hasText = (block.type === 'file' || block.type === 'document') && block.text !== undefined;
  if (block.type === 'file' ? hasText : takes.includes(block.file.mediaType)) return null;
  if (otherwise === 'omit') return 'omit';
  return hasText ? 'text' : 'line';
}
