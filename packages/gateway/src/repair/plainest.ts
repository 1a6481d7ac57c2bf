import type { ProtocolId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { isReplyElement } from './elements.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * A list without anything that a provider could refuse to take back: no reasoning, no seals, no ids of items. What was
 * said, called and answered stays. With `only`, that happens to the elements in which it finds something.
 */
export function withoutReasoning(
  protocol: ProtocolId,
  list: readonly unknown[],
  only: (element: Json) => boolean = () => true,
): readonly unknown[] {
  return list.flatMap((element) => {
    if (!isPlainObject(element) || !isReplyElement(element) || !only(element)) return [element];
    const plain = PLAIN[protocol](element);
    return plain === null ? [] : [plain];
  });
}

const CHAT_REASONING: readonly string[] = ['reasoning_content', 'reasoning', 'reasoning_details'];

const PLAIN: Readonly<Record<ProtocolId, (element: Json) => Json | null>> = {
  'anthropic-messages': (message) => {
    const content: unknown = message['content'];
    if (!Array.isArray(content)) return message;
    const blocks: readonly unknown[] = content;
    const kept = blocks.filter(
      (block) => !isPlainObject(block) || (block['type'] !== 'thinking' && block['type'] !== 'redacted_thinking'),
    );
    return kept.length === 0 ? null : { ...message, content: kept };
  },
  'openai-responses': (item) => {
    if (item['type'] === 'reasoning') return null;
    const { id: _, ...rest } = item;
    return rest;
  },
  'openai-chat': (message) =>
    Object.fromEntries(Object.entries(message).filter(([key]) => !CHAT_REASONING.includes(key))),
  gemini: (content) => {
    const parts: unknown = content['parts'];
    if (!Array.isArray(parts)) return content;
    const kept = (parts as readonly unknown[]).flatMap((part) => {
      if (!isPlainObject(part)) return [part];
      if (part['thought'] === true) return [];
      const { thoughtSignature: _, ...rest } = part;
      return Object.keys(rest).length === 0 || rest['text'] === '' ? [] : [rest];
    });
    return kept.length === 0 ? null : { ...content, parts: kept };
  },
};
