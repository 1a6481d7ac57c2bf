import type { ContentBlock, StreamEvent } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { parseJson } from '../../../render/json-text.ts';
import type { ReplyBlock } from './reply-block.ts';

type Delta = Readonly<Record<string, unknown>>;

export const isCall = (block: ReplyBlock): boolean =>
  block.type === 'tool_use' && (block.text('id') ?? '') !== '' && (block.text('name') ?? '') !== '';

export const isRedacted = (block: ReplyBlock): boolean =>
  block.type === 'redacted_thinking' && block.text('data') !== null;

/** The events of a block that opens. */
export function opening(block: ReplyBlock): StreamEvent[] {
  const { index } = block;
  if (isRedacted(block)) return [{ type: 'redacted_thinking', index, data: block.text('data') ?? '' }];
  if (isCall(block)) {
    const start: StreamEvent = {
      type: 'tool_call_start',
      index,
      id: block.text('id') ?? '',
      name: block.text('name') ?? '',
    };
    const input = block.inputText;
    return input === null || input === '{}' ? [start] : [start, { type: 'tool_call_delta', index, json: input }];
  }
  if (block.type === 'text') return words('text', index, block.text('text'));
  if (block.type !== 'thinking') return [];
  const thought = words('thinking', index, block.text('thinking'));
  const signature = block.text('signature') ?? '';
  return signature === '' ? thought : [...thought, ...signed(index, signature, thought.length === 0)];
}

/** The events of a block that grows. */
export function growth(block: ReplyBlock, delta: Delta, thoughtWasEmpty: boolean): StreamEvent[] {
  const { index } = block;
  switch (delta['type']) {
    case 'text_delta':
      return block.type === 'text' ? words('text', index, delta['text']) : [];
    case 'thinking_delta':
      return block.type === 'thinking' ? words('thinking', index, delta['thinking']) : [];
    case 'signature_delta': {
      const signature = string(delta['signature']);
      return block.type === 'thinking' && signature !== '' ? signed(index, signature, thoughtWasEmpty) : [];
    }
    case 'input_json_delta': {
      const json = string(delta['partial_json']);
      return isCall(block) && json !== '' ? [{ type: 'tool_call_delta', index, json }] : [];
    }
    default:
      return [];
  }
}

/** A thought whose text is withheld is still a thought, with an empty text and its signature. */
function signed(index: number, signature: string, thoughtIsEmpty: boolean): StreamEvent[] {
  const signing: StreamEvent = { type: 'signature', index, signature };
  return thoughtIsEmpty ? [{ type: 'thinking', index, text: '' }, signing] : [signing];
}

export function wholeCall(block: ReplyBlock): StreamEvent[] {
  const { index, parameters } = block;
  if (parameters === null) return [];
  return [{ type: 'tool_call', index, id: block.text('id') ?? '', name: block.text('name') ?? '', parameters }];
}

export function customBlock(block: ReplyBlock): ContentBlock {
  const value = parseJson(block.json());
  return { ...(isPlainObject(value) && value), type: block.type };
}

function words(type: 'text' | 'thinking', index: number, text: unknown): StreamEvent[] {
  return typeof text === 'string' && text !== '' ? [{ type, index, text }] : [];
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
