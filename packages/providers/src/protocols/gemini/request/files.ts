import type { AttachedBlock, ContentBlock } from '@bough/core';
import { isAttachedBlock, isTextBlock } from '@bough/core';
import { PlacedText, placeOf } from '../../../files/place.ts';
import { fileText } from '../../../files/text-part.ts';

/** Texts and files as parts of the user's content. */
export function userParts(blocks: readonly ContentBlock[]): readonly unknown[] {
  return blocks.flatMap((block) => {
    if (isTextBlock(block)) return block.text === '' ? [] : [{ text: block.text }];
    if (!isAttachedBlock(block)) return [];
    return [block.type === 'file' ? { text: fileText(block) } : mediaPart(block)];
  });
}

/** The files of a result that are no text. */
export function mediaParts(blocks: readonly ContentBlock[]): readonly unknown[] {
  return blocks
    .filter(isAttachedBlock)
    .filter(({ type }) => type !== 'file')
    .map(mediaPart);
}

function mediaPart(block: AttachedBlock): unknown {
  return { inlineData: { mimeType: block.file.mediaType, data: new PlacedText([placeOf(block, 'base64')]) } };
}
