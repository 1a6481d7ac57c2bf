import { isPlainObject } from '@bough/core';
import type { Body, WireBlock } from '../wire.ts';

// Repairs drop whole blocks and whole messages and leave every other object as it is, so that the builder can write the
// untouched ones in the provider's own spelling.

/**
 * Without the content blocks that `drop` selects. Results and system texts that are left empty stay: dropping them is
 * not safe.
 */
export function withoutBlocks(body: Body, drop: (block: WireBlock) => boolean): Body {
  const messages: unknown = body['messages'];
  if (!Array.isArray(messages)) return body;
  const list: readonly unknown[] = messages;
  return {
    ...body,
    messages: list.map((message, index) => {
      if (!isPlainObject(message) || !Array.isArray(message['content'])) return message;
      const content: readonly unknown[] = message['content'];
      const kept = content.filter(
        (block, at) =>
          !isPlainObject(block) ||
          typeof block['type'] !== 'string' ||
          !drop({ value: block, type: block['type'], path: `messages.${index}.content.${at}` }),
      );
      return kept.length === content.length ? message : { ...message, content: kept };
    }),
  };
}

export function withoutEmptyMessages(body: Body): Body {
  const messages: unknown = body['messages'];
  if (!Array.isArray(messages)) return body;
  const list: readonly unknown[] = messages;
  const isEmpty = (content: unknown) => content === '' || (Array.isArray(content) && content.length === 0);
  return { ...body, messages: list.filter((message) => !isPlainObject(message) || !isEmpty(message['content'])) };
}

export function without(body: Body, keys: readonly string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !keys.includes(key)));
}
