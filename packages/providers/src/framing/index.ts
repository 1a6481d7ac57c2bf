import type { Framing } from './framing.ts';
import { oneBody } from './one-body.ts';
import { eventStream } from './sse.ts';

export type { FrameReader, Framing } from './framing.ts';
export type { KeptReply } from './kept.ts';
export { eventsIn, readKept } from './kept.ts';

/** The first match counts. A server with its own framing gets a line here. */
const FRAMINGS: readonly Framing[] = [eventStream, oneBody];

/** The declared type decides; if a server declares something else, the first bytes do. */
export function framingOf(contentType: string, first: Uint8Array): Framing {
  return FRAMINGS.find(({ fits }) => fits(contentType, first)) ?? eventStream;
}
