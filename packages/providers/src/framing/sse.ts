import type { RawEvent } from '@bough/core';
import { createParser } from 'eventsource-parser';
import type { Framing } from './framing.ts';
import { beginsBody } from './one-body.ts';

/** Text in, whole events out. Lines may be split anywhere. */
export interface EventReader {
  /** The events that this text completed. */
  readonly read: (text: string) => readonly RawEvent[];
  /** What was unfinished, without a final blank line, when the stream ended. */
  readonly rest: () => readonly RawEvent[];
  /** True once an event exceeded the limit: the stream is not worth reading any further. */
  readonly overflowed: () => boolean;
}

/** Server-sent events. Also used if a server declares something else, or nothing, and what comes is not a body. */
export const eventStream: Framing = {
  fits: (contentType, first) => contentType.includes('text/event-stream') || !beginsBody(first),
  read: (maxLength) => {
    // Not fatal: malformed bytes become replacement characters, and the fold reports the event as malformed.
    const decoder = new TextDecoder();
    const reader = createEventReader(maxLength);
    let unfinished = '';
    return {
      take: (chunk) => {
        const piece = decoder.decode(chunk, { stream: true });
        const text = unfinished === '' ? piece : unfinished + piece;
        const events = reader.read(piece);
        unfinished = events.length === 0 ? text : '';
        return events.length === 0 ? null : { text, events };
      },
      overflowed: reader.overflowed,
      end: () => {
        const piece = decoder.decode();
        const text = unfinished + piece;
        const events = [...reader.read(piece), ...reader.rest()];
        return events.length > 0 && events.every(isWhole) ? { type: 'events', text, events } : { type: 'torn', text };
      },
    };
  },
};

const NONE: readonly RawEvent[] = [];

export function createEventReader(maxEventLength?: number): EventReader {
  let events: RawEvent[] = [];
  let overflowed = false;
  const parser = createParser({
    ...(maxEventLength === undefined ? {} : { maxBufferSize: maxEventLength }),
    onEvent: ({ event, data }) => events.push(event === undefined ? { data } : { event, data }),
    onError: (error) => {
      overflowed ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  const read = (text: string): readonly RawEvent[] => {
    if (overflowed || text === '') return NONE;
    events = [];
    parser.feed(text);
    return events;
  };
  return {
    read,
    // The blank line that the server left out.
    rest: () => read('\n\n'),
    overflowed: () => overflowed,
  };
}

/** Whether the data of an unfinished event is complete nevertheless: some servers omit the last blank line. */
export function isWhole(event: RawEvent): boolean {
  if (event.data === '[DONE]') return true;
  try {
    JSON.parse(event.data);
    return true;
  } catch {
    return false;
  }
}
