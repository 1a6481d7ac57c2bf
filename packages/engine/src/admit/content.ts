import type { ContentBlock } from '@bough/core';
import { isAttachedBlock, isTextBlock } from '@bough/core';
import { RequestError } from './errors.ts';

/** What people send to a model: a text, or blocks of text and attached files, that says something. */
export function toMessageBlocks(content: string | readonly ContentBlock[]): readonly ContentBlock[] {
  const blocks = givenBlocks(content);
  if (blocks.every((block) => isTextBlock(block) && block.text.trim() === '')) {
    throw new RequestError('invalid_content', 'The message is empty. Write something first.');
  }
  return blocks;
}

/** A text, or blocks of text and attached files, possibly empty. Only models make reasoning and tool calls. */
export function givenBlocks(content: string | readonly ContentBlock[]): readonly ContentBlock[] {
  const blocks: readonly ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  for (const [index, block] of blocks.entries()) {
    if (isTextBlock(block) || isAttachedBlock(block)) continue;
    throw new RequestError(
      'invalid_content',
      block.type === 'tool-use'
        ? `content[${index}]: a message must not contain tool-use blocks; only a model calls tools.`
        : `content[${index}]: a message holds text blocks and attached files only, not "${block.type}".`,
    );
  }
  return blocks;
}
