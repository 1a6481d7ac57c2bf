import type { ContentBlock, ProtocolId, Usage } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { textForm, textOrNull } from '../../fields.ts';
import type { ReplyPart } from '../sessions/bodies.ts';
import { bodyOf } from '../sessions/bodies.ts';
import type { SessionMessage } from '../sessions/session.ts';

/** What pi calls the protocols. */
const PROTOCOLS: Readonly<Record<string, ProtocolId>> = {
  'anthropic-messages': 'anthropic-messages',
  'bedrock-converse-stream': 'anthropic-messages',
  'openai-responses': 'openai-responses',
  'azure-openai-responses': 'openai-responses',
  'openai-codex-responses': 'openai-responses',
  'openai-completions': 'openai-chat',
  'mistral-conversations': 'openai-chat',
  'google-generative-ai': 'gemini',
  'google-gemini-cli': 'gemini',
  'google-vertex': 'gemini',
};

export function replyOf(
  message: Fields,
  key: string,
  createdAt: string | null,
  leave: (kind: string) => void,
): Omit<SessionMessage, 'parentKey' | 'threadKey'> | null {
  const content = (Array.isArray(message['content']) ? message['content'] : []).filter(isPlainObject);
  const api = PROTOCOLS[textOrNull(message['api']) ?? ''];
  const model = textOrNull(message['model']) ?? 'unknown';
  const stopped = textOrNull(message['stopReason']);
  const common = { key, role: 'assistant', createdAt } as const;
  const problem = textOrNull(message['errorMessage']);
  if (stopped === 'error' || (stopped === 'aborted' && content.length === 0))
    return { ...common, isError: true, blocks: [{ type: 'text', text: problem ?? 'Unknown error' }] };
  const interrupted = stopped === 'aborted';
  if (api === undefined)
    return { ...common, interrupted, blocks: content.flatMap((part) => partOf(part, leave)).map(shownBlock) };
  const body = bodyOf(
    api,
    model,
    content.flatMap((part) => partOf(part, leave)),
    textOrNull(message['responseId']),
  );
  const vendor = textOrNull(message['provider']);
  return { ...common, interrupted, blocks: [], reply: { api, vendor, model, body, usage: usageOf(message['usage']) } };
}

function partOf(part: Fields, leave: (kind: string) => void): ReplyPart[] {
  const signature = (name: string): string | null => {
    const value = textOrNull(part[name]);
    return value === '' ? null : value;
  };
  switch (part['type']) {
    case 'thinking':
      return [
        {
          type: 'thinking',
          text: textForm(part['thinking'] ?? ''),
          signature: signature('thinkingSignature'),
          isRedacted: part['redacted'] === true,
        },
      ];
    case 'text': {
      const found = signature('textSignature');
      return [{ type: 'text', text: textForm(part['text'] ?? ''), signature: found, ...itemOf(found) }];
    }
    case 'toolCall': {
      // With OpenAI the id of the call and that of its item are written as one.
      const [id = '', itemId = null] = textForm(part['id'] ?? '').split('|');
      const input = isPlainObject(part['arguments']) ? part['arguments'] : {};
      const name = textForm(part['name'] ?? '');
      return [{ type: 'call', id, itemId, name, input, signature: signature('thoughtSignature') }];
    }
    default:
      leave(`part ${textOrNull(part['type']) ?? 'unknown'}`);
      return [];
  }
}

/** OpenAI's item that a text was in: an id, or an id with the phase of the reply. */
function itemOf(signature: string | null): { readonly itemId: string | null; readonly phase: string | null } {
  if (signature === null || !signature.startsWith('{')) return { itemId: signature, phase: null };
  try {
    const value: unknown = JSON.parse(signature);
    const { id, phase } = isPlainObject(value) ? value : {};
    return { itemId: textOrNull(id), phase: textOrNull(phase) };
  } catch (error) {
    if (error instanceof SyntaxError) return { itemId: null, phase: null };
    throw error;
  }
}

/** Of a protocol that is not known here: what can be shown, and is nobody's response. */
function shownBlock(part: ReplyPart): ContentBlock {
  switch (part.type) {
    case 'thinking':
      return { type: 'thinking', thinking: part.text, ...(part.signature !== null && { signature: part.signature }) };
    case 'text':
      return { type: 'text', text: part.text };
    case 'call':
      return { type: 'tool-use', id: part.id, name: part.name, parameters: part.input };
  }
}

function usageOf(value: unknown): Usage | null {
  if (!isPlainObject(value)) return null;
  const count = (name: string): number => (typeof value[name] === 'number' ? value[name] : 0);
  return {
    inputTokens: count('input') + count('cacheRead') + count('cacheWrite'),
    cachedInputTokens: count('cacheRead'),
    cacheWriteTokens: count('cacheWrite'),
    outputTokens: count('output'),
    ...(count('reasoning') > 0 ? { reasoningTokens: count('reasoning') } : {}),
  };
}
