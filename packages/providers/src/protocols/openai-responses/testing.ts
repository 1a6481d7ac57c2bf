import type { Issuer, RawEvent, RawResponse } from '@bough/core';
import type { WireItem } from './wire.ts';
import { objectsOf, stringOf, typeOf } from './wire.ts';

// Replies in the provider's format, small enough to be read whole. Only for tests.

export const ISSUER: Issuer = {
  provider: 'openai_responses',
  deployment: 'openai_responses@api.openai.com/v1',
  model: 'gpt-5.5',
};

export function reasoning(id: string, summary: readonly string[], encrypted: string | null = `gAAAA-${id}`): WireItem {
  return {
    id: `rs_${id}`,
    type: 'reasoning',
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    ...(encrypted !== null && { encrypted_content: encrypted }),
  };
}

export function message(id: string, text: string, more: WireItem = {}): WireItem {
  return {
    id: `msg_${id}`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
    ...more,
  };
}

export function call(id: string, name: string, json: string, more: WireItem = {}): WireItem {
  return {
    id: `fc_${id}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_${id}`,
    name,
    arguments: json,
    ...more,
  };
}

export function responseOf(items: readonly WireItem[], more: WireItem = {}): WireItem {
  return {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'gpt-5.5-2026-04-23',
    output: items,
    error: null,
    incomplete_details: null,
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 29,
    },
    ...more,
  };
}

export interface StreamShape {
  /** The form of an item announced before it is whole; the API leaves contents out and may give half a signature. */
  readonly added?: (item: WireItem) => WireItem;
  readonly deltas?: boolean;
  readonly response?: WireItem;
}

/** The events of a whole reply, each delta one word long. */
export function streamOf(items: readonly WireItem[], shape: StreamShape = {}): readonly RawEvent[] {
  const response = shape.response ?? responseOf(items);
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events: WireItem[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
  ];
  items.forEach((item, output_index) => {
    const announced = shape.added?.(item) ?? announcement(item);
    events.push({ type: 'response.output_item.added', output_index, item: announced });
    if (shape.deltas !== false) events.push(...deltasOf(item, output_index));
    events.push({ type: 'response.output_item.done', output_index, item });
  });
  events.push({ type: `response.${stringOf(response['status']) ?? 'completed'}`, response });
  return events.map((event, sequence_number) => rawEvent({ ...event, sequence_number }));
}

export function rawEvent(data: WireItem): RawEvent {
  return { event: typeOf(data), data: JSON.stringify(data) };
}

export function rawOf(events: readonly RawEvent[], issuer: Issuer = ISSUER): RawResponse {
  return {
    ...issuer,
    api: 'openai-responses',
    version: 1,
    capturedAt: '2026-11-15T00:00:00.000Z',
    complete: true,
    payload: { events, response: null },
  };
}

/** The bytes of a stream. */
export function sseText(events: readonly RawEvent[]): string {
  return events.map(({ event, data }) => `event: ${event ?? 'message'}\ndata: ${data}\n\n`).join('');
}

function announcement(item: WireItem): WireItem {
  switch (typeOf(item)) {
    case 'reasoning':
      return { ...item, summary: [], ...('encrypted_content' in item && { encrypted_content: 'gAAAA-half' }) };
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    default:
      return { ...item, status: 'in_progress' };
  }
}

function deltasOf(item: WireItem, output_index: number): WireItem[] {
  const at = { item_id: item['id'], output_index };
  switch (typeOf(item)) {
    case 'reasoning':
      return [
        ...partDeltas(item['summary'], 'response.reasoning_summary_text', 'summary_index', at),
        ...partDeltas(item['content'], 'response.reasoning_text', 'content_index', at),
      ];
    case 'message':
      return objectsOf(item['content']).flatMap((part, content_index) => {
        const refusal = stringOf(part['refusal']);
        const type = refusal === undefined ? 'response.output_text' : 'response.refusal';
        const text = refusal ?? stringOf(part['text']) ?? '';
        return words(text).map((delta) => ({ type: `${type}.delta`, ...at, content_index, delta }));
      });
    case 'function_call':
      return words(stringOf(item['arguments']) ?? '').map((delta) => ({
        type: 'response.function_call_arguments.delta',
        ...at,
        delta,
      }));
    default:
      return [];
  }
}

function partDeltas(parts: unknown, type: string, index: string, at: WireItem): WireItem[] {
  return objectsOf(parts).flatMap((part, place) =>
    words(stringOf(part['text']) ?? '').map((delta) => ({ type: `${type}.delta`, ...at, [index]: place, delta })),
  );
}

function words(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}
