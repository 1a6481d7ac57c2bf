import type { ContentBlock } from '@bough/core';
import { isTextBlock } from '@bough/core';
import { RequestError } from './errors.ts';

/** What people send to a model: a text, or text blocks, that says something. */
export function toTextBlocks(content: string | readonly ContentBlock[]): readonly ContentBlock[] {
  const blocks = onlyText(content);
  if (blocks.every((block) => isTextBlock(block) && block.text.trim() === '')) {
    throw new RequestError('invalid_content', 'The message is empty. Write something first.');
  }
  return blocks;
}

/** A text or text blocks, possibly empty. Only models make reasoning and tool calls. */
export function onlyText(content: string | readonly ContentBlock[]): readonly ContentBlock[] {
  const blocks: readonly ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  for (const [index, block] of blocks.entries()) {
    if (isTextBlock(block)) continue;
    throw new RequestError(
      'invalid_content',
      block.type === 'tool-use'
        ? `content[${index}]: a message must not contain tool-use blocks; only a model calls tools.`
        : `content[${index}]: a message holds text blocks only, not "${block.type}".`,
    );
  }
  return blocks;
}
