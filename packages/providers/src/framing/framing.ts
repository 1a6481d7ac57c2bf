import type { RawEvent } from '@bough/core';

/** What bytes became: the events that they completed, and the text in which they are kept and logged. */
export interface Framed {
  readonly text: string;
  readonly events: readonly RawEvent[];
}

/** What was unfinished when the connection ended. */
export type FramedRest =
  /** Events that were whole nevertheless; none if nothing was left. */
  | ({ readonly type: 'events' } & Framed)
  /**
   * Cut in the middle of an event: kept for the record. Parsing it would report the reply as malformed, which it is
   * not.
   */
  | { readonly type: 'torn'; readonly text: string }
  /** The reply came as one body. */
  | { readonly type: 'body'; readonly text: string };

/** Reads one reply. */
export interface FrameReader {
  /** Null if the bytes completed nothing. */
  readonly take: (chunk: Uint8Array) => Framed | null;
  /** True once a part of the reply is longer than any provider sends. */
  readonly overflowed: () => boolean;
  readonly end: () => FramedRest;
}

/**
 * How a server cuts its reply into events. The text that a reader returns is what the log holds and `readKept` reads
 * again, so nothing beyond the transport knows the framing: if frames are not text, the reader returns them as the text
 * of an event stream.
 */
export interface Framing {
  readonly fits: (contentType: string, first: Uint8Array) => boolean;
  readonly read: (maxLength: number) => FrameReader;
}
