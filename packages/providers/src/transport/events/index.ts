import type { RawEvent } from '@bough/core';
import { createParser } from 'eventsource-parser';

/** Bytes in, whole events out. Characters and lines may be split over chunks at any byte. */
export interface EventReader {
  /** The events that this chunk completed. */
  readonly read: (chunk: Uint8Array) => readonly RawEvent[];
  /** What stood unfinished when the stream ended, with no blank line behind it. */
  readonly rest: () => readonly RawEvent[];
  /** True once an event grew beyond the limit: the stream is not worth reading on. */
  readonly overflowed: () => boolean;
}

const NONE: readonly RawEvent[] = [];

export function createEventReader(maxEventLength: number): EventReader {
  // Not fatal: malformed bytes become replacement characters, and the fold says that the event is malformed.
  const decoder = new TextDecoder();
  let events: RawEvent[] = [];
  let overflowed = false;
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ event, data }) => events.push(event === undefined ? { data } : { event, data }),
    onError: (error) => {
      overflowed ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  const feed = (text: string): readonly RawEvent[] => {
    if (overflowed || text === '') return NONE;
    events = [];
    parser.feed(text);
    return events;
  };
  return {
    read: (chunk) => feed(decoder.decode(chunk, { stream: true })),
    // The blank line that the server owed.
    rest: () => feed(`${decoder.decode()}\n\n`),
    overflowed: () => overflowed,
  };
}

/** Whether the data of an unfinished event is nevertheless all there: some servers end without the last blank line. */
export function isWhole(event: RawEvent): boolean {
  if (event.data === '[DONE]') return true;
  try {
    JSON.parse(event.data);
    return true;
  } catch {
    return false;
  }
}
