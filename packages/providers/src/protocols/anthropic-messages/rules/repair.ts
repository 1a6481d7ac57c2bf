import { isPlainObject } from '@bough/core';
import type { Body, WireBlock } from '../wire.ts';
import { isEffortOnly } from '../wire.ts';

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
  return {
    ...body,
    messages: list.filter(
      (message) => !isPlainObject(message) || !isEmpty(message['content']) || isEffortOnly(message),
    ),
  };
}

/** With the content blocks that `change` returns; a block that it returns itself keeps its spelling. */
export function mapBlocks(body: Body, change: (block: Body, role: unknown) => Body): Body {
  const messages: unknown = body['messages'];
  if (!Array.isArray(messages)) return body;
  const list: readonly unknown[] = messages;
  return {
    ...body,
    messages: list.map((message) => {
      if (!isPlainObject(message) || !Array.isArray(message['content'])) return message;
      const content: readonly unknown[] = message['content'];
      const changed = content.map((block) => (isPlainObject(block) ? change(block, message['role']) : block));
      return changed.every((block, at) => block === content[at]) ? message : { ...message, content: changed };
    }),
  };
}

export function without(body: Body, keys: readonly string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !keys.includes(key)));
}
