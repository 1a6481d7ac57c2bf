import type { ProtocolId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { textOrNull } from '../../fields.ts';

/** A piece of a reply as clients keep it that speak several protocols. */
export type ReplyPart =
  | {
      readonly type: 'thinking';
      readonly text: string;
      /** What its provider wants back with it. */
      readonly signature: string | null;
      readonly isRedacted?: boolean;
      /** OpenAI's id of the item that it is part of. */
      readonly itemId?: string | null;
    }
  | {
      readonly type: 'text';
      readonly text: string;
      readonly signature: string | null;
      readonly itemId?: string | null;
      readonly phase?: string | null;
    }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly input: Fields;
      readonly signature: string | null;
      readonly itemId?: string | null;
    };

/** The response that a reply came in, in its provider's form. */
export function bodyOf(api: ProtocolId, model: string, parts: readonly ReplyPart[], responseId: string | null): Fields {
  const id = responseId === null ? {} : { id: responseId };
  switch (api) {
    case 'anthropic-messages':
      return { ...id, type: 'message', role: 'assistant', model, content: parts.flatMap(anthropicBlock) };
    case 'openai-responses':
      return { object: 'response', status: 'completed', model, output: responseItems(parts) };
    case 'gemini': {
      const content = { role: 'model', parts: parts.flatMap(geminiPart) };
      return { candidates: [{ content, finishReason: 'STOP', index: 0 }], modelVersion: model };
    }
    case 'openai-chat':
      return { ...id, object: 'chat.completion', model, choices: [chatChoice(parts)] };
  }
}

function anthropicBlock(part: ReplyPart): Fields[] {
  switch (part.type) {
    case 'thinking':
      if (part.isRedacted === true) return [{ type: 'redacted_thinking', data: part.signature ?? '' }];
      return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? '' }];
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'call':
      return [{ type: 'tool_use', id: part.id, name: part.name, input: part.input }];
  }
}

/** Thoughts of one reasoning item stand one by one; its ciphertext is kept with one of them. */
function responseItems(parts: readonly ReplyPart[]): readonly Fields[] {
  const items: Record<string, unknown>[] = [];
  for (const part of parts) {
    const id = part.itemId == null || part.itemId === '' ? {} : { id: part.itemId };
    if (part.type === 'thinking') {
      const whole = part.signature?.startsWith('{') === true ? itemIn(part.signature) : null;
      if (whole !== null) {
        items.push(whole);
        continue;
      }
      const last = items.at(-1);
      const isSame = last?.['type'] === 'reasoning' && part.itemId != null && last['id'] === part.itemId;
      const item = isSame && last !== undefined ? last : { type: 'reasoning', ...id, summary: [] };
      if (!isSame) items.push(item);
      const summary = Array.isArray(item['summary']) ? item['summary'] : [];
      item['summary'] = part.text === '' ? summary : [...summary, { type: 'summary_text', text: part.text }];
      if (part.signature !== null) item['encrypted_content'] = part.signature;
    } else if (part.type === 'text') {
      const content = [{ type: 'output_text', text: part.text, annotations: [] }];
      const phase = part.phase == null ? {} : { phase: part.phase };
      items.push({ type: 'message', ...id, role: 'assistant', status: 'completed', content, ...phase });
    } else {
      const { id: callId, name, input } = part;
      items.push({ type: 'function_call', ...id, call_id: callId, name, arguments: JSON.stringify(input) });
    }
  }
  return items;
}

function itemIn(json: string): Record<string, unknown> | null {
  try {
    const item: unknown = JSON.parse(json);
    return isPlainObject(item) && item['type'] === 'reasoning' ? { ...item } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function geminiPart(part: ReplyPart): Fields[] {
  const signature = part.signature === null ? {} : { thoughtSignature: part.signature };
  switch (part.type) {
    case 'thinking':
      return [{ text: part.text, thought: true, ...signature }];
    case 'text':
      return part.text === '' && part.signature === null ? [] : [{ text: part.text, ...signature }];
    case 'call':
      return [{ functionCall: { id: part.id, name: part.name, args: part.input }, ...signature }];
  }
}

function chatChoice(parts: readonly ReplyPart[]): Fields {
  const texts = (type: 'thinking' | 'text'): string =>
    parts.map((part) => (part.type !== 'call' && part.type === type ? part.text : '')).join('');
  const thinking = texts('thinking');
  // The name of the field that the reasoning came in is kept in place of a signature.
  const field = parts.find(({ type, signature }) => type === 'thinking' && signature?.startsWith('reasoning'));
  const calls = parts.flatMap((part) =>
    part.type !== 'call'
      ? []
      : [
          {
            id: part.id,
            type: 'function',
            function: { name: part.name, arguments: JSON.stringify(part.input) },
          },
        ],
  );
  const message = {
    role: 'assistant',
    content: texts('text'),
    ...(thinking === '' ? {} : { [textOrNull(field?.signature) ?? 'reasoning_content']: thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return { index: 0, message, finish_reason: calls.length === 0 ? 'stop' : 'tool_calls' };
}
