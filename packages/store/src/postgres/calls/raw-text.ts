import type { RawEvent, RawPayload, RawResponse } from '@bough/core';

/** What the lines after the head are: each the data of an event, or its name and its data. */
type Form = 'texts' | 'events';
type Events = readonly string[] | readonly RawEvent[];
type Head = RawResponse & { readonly lines?: Form };

/**
 * A raw response as text: one line of JSON, then the events unchanged. In JSON each of their quotation marks would be
 * escaped, and a long reply would take several times as long to write and to read. What cannot be put on lines stays
 * inside the JSON.
 */
export function writeRaw(raw: RawResponse): string {
  const events = eventsOf(raw);
  const form = formOf(events);
  if (form === null) return JSON.stringify(raw);
  const head: Head = { ...withEvents(raw, []), lines: form };
  const lines = [JSON.stringify(head)];
  for (const event of events) {
    if (typeof event === 'string') lines.push(event);
    else lines.push(event.event ?? '', event.data);
  }
  const text = lines.join('\n');
  // Half of a surrogate pair is lost in UTF-8 unless JSON escapes it.
  return text.isWellFormed() ? text : JSON.stringify(raw);
}

/** Throws a `SyntaxError` for text that `writeRaw` cannot have written. */
export function readRaw(text: string): RawResponse {
  const end = text.indexOf('\n');
  if (end === -1) return JSON.parse(text) as RawResponse;
  const { lines: form, ...raw } = JSON.parse(text.slice(0, end)) as Head;
  const lines = text.slice(end + 1).split('\n');
  return withEvents(raw, form === 'texts' ? lines : pairsOf(lines));
}

function pairsOf(lines: readonly string[]): readonly RawEvent[] {
  const events: RawEvent[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    const [event = '', data = ''] = [lines[at], lines[at + 1]];
    events.push(event === '' ? { data } : { event, data });
  }
  return events;
}

/** The events, wherever the protocol puts them. */
function eventsOf({ payload }: RawResponse): Events {
  if (isList(payload)) return payload;
  if ('events' in payload) return payload.events;
  return 'stream' in payload ? payload.stream : [];
}

function withEvents<Raw extends RawResponse>(raw: Raw, events: Events): Raw {
  const { payload } = raw;
  if (isList(payload)) return { ...raw, payload: events };
  return { ...raw, payload: { ...payload, ['events' in payload ? 'events' : 'stream']: events } };
}

function isList(payload: RawPayload): payload is Events {
  return Array.isArray(payload);
}

/** Null where there are no events to put on lines, or some that cannot be. */
function formOf(events: Events): Form | null {
  if (events.length === 0) return null;
  if (events.every(isLine)) return 'texts';
  return events.every(isPair) ? 'events' : null;
}

function isLine(event: unknown): event is string {
  return typeof event === 'string' && !event.includes('\n');
}

/** Imported raws may hold anything. */
function isPair(event: unknown): boolean {
  if (typeof event !== 'object' || event === null || !('data' in event) || !isLine(event.data)) return false;
  if (!('event' in event)) return Object.keys(event).length === 1;
  return isLine(event.event) && event.event !== '' && Object.keys(event).length === 2;
}
