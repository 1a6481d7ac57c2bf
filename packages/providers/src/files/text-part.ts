import type { ContentBlock, FileBlock } from '@bough/core';
import { deriveTextFromBlocks, fileAsLine, isAttachedBlock, isTextBlock } from '@bough/core';
import { joinTexts, PlacedText, placeOf } from './place.ts';

/** A file that is text, with its name before it. One without text is named. */
export function fileText(block: FileBlock): string | PlacedText {
  if (block.text === undefined) return fileAsLine(block);
  return new PlacedText([`File ${JSON.stringify(block.name)}:\n\n`, placeOf(block, 'text', block.text)]);
}

/**
 * The texts of a result, and those of its files; other files are named. For a server that takes nothing but text there:
 * what is named may follow elsewhere.
 */
export function resultText(blocks: readonly ContentBlock[]): string | PlacedText {
  if (!blocks.some(isAttachedBlock)) return deriveTextFromBlocks(blocks);
  const texts = blocks.flatMap((block) => {
    if (isTextBlock(block)) return block.text === '' ? [] : [block.text];
    if (!isAttachedBlock(block)) return [];
    return [block.type === 'file' ? fileText(block) : fileAsLine(block)];
  });
  return joinTexts(texts, '\n');
}

/** A file name with the ending that servers look for. */
export function withEnding(name: string, ending: string): string {
  const plain = name.trim() === '' ? 'file' : name;
  return plain.toLowerCase().endsWith(ending) ? plain : `${plain}${ending}`;
}
