import type { ContentBlock } from '../blocks/index.ts';
import { isAttachedBlock, isTextBlock } from '../blocks/index.ts';
import type { Message } from '../messages/index.ts';
import { messageOf } from '../messages/index.ts';

/** True for a reply that is nothing but text, and for a message of the user: the only ones that may be joined. */
export function isTextOnly(message: Message): boolean {
  if (message.role === 'user') return message.content.every((block) => isTextBlock(block) || isAttachedBlock(block));
  return message.role === 'assistant' && message.content.every(isTextBlock);
}

/**
 * Whether two neighbours may become one: same role, both text only, or files of the user too. Never tool messages,
 * never anything with `tool-use`.
 */
export function canCoalesce(before: Message, after: Message): boolean {
  return before.role === after.role && isTextOnly(before) && isTextOnly(after);
}

/**
 * Joins adjacent text-only messages of one role, for providers that demand alternating roles. Their blocks are
 * concatenated, unchanged. Only for a request: the tree never coalesces.
 */
export function coalesceTextOnlyAdjacent(messages: readonly Message[]): readonly Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    const before = result.at(-1);
    if (before !== undefined && canCoalesce(before, message)) {
      const blocks: readonly ContentBlock[] = [...before.content, ...message.content];
      result[result.length - 1] = messageOf(message.role, blocks);
    } else {
      result.push(message);
    }
  }
  return result;
}
