import type { ContentBlock, RawEvent, RawResponse, StreamEvent } from '@bough/core';
import { bodyOfRaw, eventsOfRaw, foldToBlocks, isPlainObject } from '@bough/core';
import { elementsOf, membersOf, parseJson } from '../../../render/json-text.ts';
import { ClaudeFold } from './fold.ts';

/** A whole body as the events that a stream would have carried; its blocks are cut out of the text, not rebuilt. */
export function eventsOfBody(body: string): readonly RawEvent[] | null {
  const message = parseJson(body);
  const members = isPlainObject(message) ? membersOf(body) : null;
  if (!isPlainObject(message) || members === null) return null;
  if (message['type'] === 'error') return [{ event: 'error', data: body }];
  const { id, model, stop_reason: stopReason, stop_details: stopDetails, usage, container, diagnostics } = message;
  const content = elementsOf(members.get('content') ?? '') ?? [];
  return [
    event(
      'message_start',
      JSON.stringify({ type: 'message_start', message: { id, model, usage, container, diagnostics } }),
    ),
    ...content.flatMap((block, index) => [
      event('content_block_start', `{"type":"content_block_start","index":${index},"content_block":${block}}`),
      event('content_block_stop', `{"type":"content_block_stop","index":${index}}`),
    ]),
    event(
      'message_delta',
      JSON.stringify({ type: 'message_delta', delta: { stop_reason: stopReason, stop_details: stopDetails } }),
    ),
    event('message_stop', '{"type":"message_stop"}'),
  ];
}

function event(name: string, data: string): RawEvent {
  return { event: name, data };
}

export function foldBody(body: string): readonly StreamEvent[] {
  const fold = new ClaudeFold();
  const events = eventsOfBody(body) ?? [{ data: body }];
  const folded = events.flatMap((event) => fold.push(event));
  return [...folded, ...fold.end({ type: 'closed' })];
}

/** Reads a stored reply again: its events, and its blocks in the provider's spelling. */
export function readRaw(raw: RawResponse): { readonly events: readonly StreamEvent[]; readonly fold: ClaudeFold } {
  const fold = new ClaudeFold();
  const body = bodyOfRaw(raw);
  const wire = body === null ? eventsOfRaw(raw) : (eventsOfBody(body) ?? []);
  const events: StreamEvent[] = [];
  for (const event of wire) for (const told of fold.push(event)) events.push(told);
  for (const told of fold.end({ type: raw.complete ? 'closed' : 'aborted' })) events.push(told);
  return { events, fold };
}

export function toContentBlocks(raw: RawResponse): readonly ContentBlock[] {
  return foldToBlocks(readRaw(raw).events);
}
