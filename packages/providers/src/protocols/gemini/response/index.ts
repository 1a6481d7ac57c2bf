import type { ContentBlock, RawResponse, StreamEvent } from '@bough/core';
import { bodyOfRaw, eventsOfRaw, foldToBlocks } from '@bough/core';
import { GeminiFold } from './fold.ts';

export { GeminiFold } from './fold.ts';

/** A reply that was not streamed: the same fold, over its single chunk. */
export function foldBody(body: string): readonly StreamEvent[] {
  const fold = new GeminiFold();
  return [...fold.push({ data: body }), ...fold.end({ type: 'closed' })];
}

export function toContentBlocks(raw: RawResponse): readonly ContentBlock[] {
  const fold = new GeminiFold();
  return foldToBlocks(rawData(raw).flatMap((data) => fold.push({ data })));
}

/** The data of every event of a stored reply, whether it was streamed or not. */
export function rawData(raw: RawResponse): readonly string[] {
  const events = eventsOfRaw(raw);
  if (events.length > 0) return events.map((event) => event.data);
  const body = bodyOfRaw(raw);
  return body === null ? [] : [body];
}
