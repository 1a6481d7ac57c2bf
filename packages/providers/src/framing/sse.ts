import type { RawEvent } from '@bough/core';
import { createParser } from 'eventsource-parser';

/** Text in, whole events out. Lines may be split anywhere. */
export interface EventReader {
  /** The events that this text completed. */
  readonly read: (text: string) => readonly RawEvent[];
  /** What stood unfinished when the stream ended, with no blank line behind it. */
  readonly rest: () => readonly RawEvent[];
  /** True once an event grew beyond the limit: the stream is not worth reading on. */
  readonly overflowed: () => boolean;
}

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
    // The blank line that the server owed.
    rest: () => read('\n\n'),
    overflowed: () => overflowed,
  };
}

/** The events of a stream that was kept as text, and behind them the one inside which it broke off, if it did. */
export function eventsIn(texts: Iterable<string>): {
  readonly whole: readonly RawEvent[];
  readonly torn: readonly RawEvent[];
} {
  const reader = createEventReader();
  const whole: RawEvent[] = [];
  for (const text of texts) for (const event of reader.read(text)) whole.push(event);
  const rest = reader.rest();
  if (!rest.every(isWhole)) return { whole, torn: rest };
  for (const event of rest) whole.push(event);
  return { whole, torn: NONE };
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
