import type { AttachedBlock, ContentBlock } from '@bough/core';
import { fileAsLine, isAttachedBlock, isTextBlock } from '@bough/core';
import { dataUrl } from '../../../files/place.ts';
import { fileText, withEnding } from '../../../files/text-part.ts';

/** Texts and files as parts of a message, or of the output of a function. */
export function inputParts(blocks: readonly ContentBlock[]): readonly Readonly<Record<string, unknown>>[] {
  return blocks.flatMap((block) => {
    if (isTextBlock(block)) return block.text === '' ? [] : [{ type: 'input_text', text: block.text }];
    return isAttachedBlock(block) ? [filePart(block)] : [];
  });
}

/** The API has no form for sound that all of its models take. */
function filePart(block: AttachedBlock): Readonly<Record<string, unknown>> {
  switch (block.type) {
    case 'image':
      return { type: 'input_image', image_url: dataUrl(block), detail: 'auto' };
    case 'document':
      return { type: 'input_file', filename: withEnding(block.name, '.pdf'), file_data: dataUrl(block) };
    case 'audio':
      return { type: 'input_text', text: fileAsLine(block) };
    case 'file':
      return { type: 'input_text', text: fileText(block) };
  }
}
