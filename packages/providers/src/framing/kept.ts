import type { RawEvent } from '@bough/core';
import { isBody } from './one-body.ts';
import { createEventReader, isWhole } from './sse.ts';

/** A reply as it was stored: a body, or events. */
export interface KeptReply {
  readonly body: string | null;
  readonly whole: readonly RawEvent[];
  /** The event in which it broke off, if it did: kept, but not parsed, because the reply is not malformed. */
  readonly torn: readonly RawEvent[];
}

/** Reads the logged texts of a reply, from the first one on. */
export function readKept(texts: readonly string[]): KeptReply {
  // A reply that came as one body is one text.
  return isBody(texts[0] ?? '') ? { body: texts.join(''), whole: [], torn: [] } : { body: null, ...eventsIn(texts) };
}

/** The events of a stream that was kept as text. */
export function eventsIn(texts: Iterable<string>): Pick<KeptReply, 'whole' | 'torn'> {
  const reader = createEventReader();
  const whole: RawEvent[] = [];
  for (const text of texts) for (const event of reader.read(text)) whole.push(event);
  const rest = reader.rest();
  if (!rest.every(isWhole)) return { whole, torn: rest };
  for (const event of rest) whole.push(event);
  return { whole, torn: [] };
}
