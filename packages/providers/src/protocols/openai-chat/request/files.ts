import type { AttachedBlock, ContentBlock, ContextItem } from '@bough/core';
import { isAttachedBlock, isTextBlock } from '@bough/core';
import { dataUrl, joinTexts, PlacedText, placeOf } from '../../../files/place.ts';
import { fileText, withEnding } from '../../../files/text-part.ts';
import type { FilePart, UserContent } from '../schema.ts';

export function hasFiles({ message }: ContextItem): boolean {
  const blocks: readonly ContentBlock[] = message.content;
  return blocks.some(isAttachedBlock);
}

/** A message with files: as parts, or as one text if there is nothing else in it, which every server takes. */
export function userContent(blocks: readonly ContentBlock[]): UserContent {
  const parts = blocks.flatMap((block): readonly FilePart[] => {
    if (isTextBlock(block)) return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    return isAttachedBlock(block) ? [filePart(block)] : [];
  });
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? joinTexts(texts, '\n\n') : parts;
}

const BROUGHT = 'These files came with the tool results above, in their order:';

/** What no result can carry here follows all of them, in a message of its own; null if there is no such thing. */
export function broughtContent(blocks: readonly ContentBlock[]): UserContent | null {
  const files = blocks.filter(isAttachedBlock).filter(({ type }) => type !== 'file');
  return files.length === 0 ? null : [{ type: 'text', text: BROUGHT }, ...files.map(filePart)];
}

/** Two contents as one message. */
export function joinContents(before: UserContent, after: UserContent): UserContent {
  if (!isParts(before) && !isParts(after)) return joinTexts([before, after], '\n\n');
  return [...partsOf(before), ...partsOf(after)];
}

const partsOf = (content: UserContent): readonly FilePart[] =>
  isParts(content) ? content : [{ type: 'text', text: content }];

const isParts = (content: UserContent): content is readonly FilePart[] => Array.isArray(content);

function filePart(block: AttachedBlock): FilePart {
  switch (block.type) {
    case 'image':
      return { type: 'image_url', image_url: { url: dataUrl(block) } };
    case 'document':
      return { type: 'file', file: { filename: withEnding(block.name, '.pdf'), file_data: dataUrl(block) } };
    case 'audio': {
      const format = block.file.mediaType === 'audio/wav' ? 'wav' : 'mp3';
      return { type: 'input_audio', input_audio: { data: new PlacedText([placeOf(block, 'base64')]), format } };
    }
    case 'file':
      return { type: 'text', text: fileText(block) };
  }
}
