import type { NodeId } from '@bough/core';
import type { MessageJson } from '../../../render/body-text.ts';
import { wellFormedJson } from '../../../render/well-formed.ts';
import type { UserContent } from '../schema.ts';
import type { Quirks } from '../traits.ts';
import { joinContents } from './files.ts';

/** A message of the request, with what its order depends on. */
export interface OrderedMessage extends MessageJson {
  readonly role: string;
  /** What a message holds that contains only text, or files of the user; null for any other, which is never joined. */
  readonly content: UserContent | null;
}

/** Inserted between tool results and the next question if a server wants an answer there. */
const BRIDGE = '(The turn ended here without an answer.)';

/**
 * Puts messages into an order that the server takes. Only adds a bridge or joins plain text: nothing is moved or
 * dropped.
 */
export function ordered(messages: readonly OrderedMessage[], quirks: Quirks): readonly OrderedMessage[] {
  switch (quirks.roleOrder) {
    case 'free':
      return messages;
    case 'mistral':
      return messages.flatMap((message, index) => {
        const before = messages[index - 1];
        return message.role === 'user' && before?.role === 'tool'
          ? // It ends the turn before: a turn that is cached without it would be sent without it.
            [contentMessage(before.nodeId, 'assistant', BRIDGE), message]
          : [message];
      });
    case 'alternating':
      return joined(messages);
  }
}

function joined(messages: readonly OrderedMessage[]): readonly OrderedMessage[] {
  const result: OrderedMessage[] = [];
  for (const message of messages) {
    const before = result.at(-1);
    const joins = before?.role === message.role && before.content !== null && message.content !== null;
    if (joins) {
      const content = joinContents(before.content, message.content);
      result[result.length - 1] = contentMessage(before.nodeId, message.role, content);
    } else result.push(message);
  }
  return result;
}

function contentMessage(nodeId: NodeId, role: string, content: UserContent): OrderedMessage {
  return { nodeId, role, content, json: wellFormedJson({ role, content }).json };
}
