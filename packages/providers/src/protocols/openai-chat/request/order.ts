import type { NodeId } from '@bough/core';
import type { MessageJson } from '../../../render/body-text.ts';
import type { Quirks } from '../traits.ts';

/** A message of the request, with what its order depends on. */
export interface OrderedMessage extends MessageJson {
  readonly role: string;
  /** The text of a message that contains only text; null for any other, which is never joined. */
  readonly text: string | null;
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
      return messages.flatMap((message, index) =>
        message.role === 'user' && messages[index - 1]?.role === 'tool'
          ? [textMessage(message.nodeId, 'assistant', BRIDGE), message]
          : [message],
      );
    case 'alternating':
      return joined(messages);
  }
}

function joined(messages: readonly OrderedMessage[]): readonly OrderedMessage[] {
  const result: OrderedMessage[] = [];
  for (const message of messages) {
    const before = result.at(-1);
    const joins = before?.role === message.role && before.text !== null && message.text !== null;
    if (joins) {
      const text = `${before.text}\n\n${message.text}`;
      result[result.length - 1] = textMessage(before.nodeId, message.role, text);
    } else result.push(message);
  }
  return result;
}

function textMessage(nodeId: NodeId, role: string, text: string): OrderedMessage {
  return { nodeId, role, text, json: JSON.stringify({ role, content: text }) };
}
