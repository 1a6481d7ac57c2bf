import type { RawEvent, RawResponse } from '@bough/core';
import { bodyOfRaw, eventsOfRaw } from '@bough/core';
import { isReasoning } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { listOf, numberOf, objectOf, stringOf, typeOf } from '../wire.ts';
import { parseJson } from '../../../render/json-text.ts';
import { Places } from './places.ts';

/** An output item in its final form, or as far as it arrived. */
export interface FinalItem {
  readonly item: WireItem;
  readonly complete: boolean;
  /** Whether this is its final form, although a limit may have cut it: not what a broken stream left of it. */
  readonly final: boolean;
}

/** What a captured reply consists of, for sending it back. */
export interface FinalReply {
  readonly responseId: string | null;
  readonly items: readonly FinalItem[];
}

/**
 * The events that carry whole items or the whole response; the deltas, which make up nearly all of a capture, are not
 * parsed.
 */
const WHOLE = /"response\.(output_item\.(added|done)|created|completed|incomplete|failed|cancelled)"/;
const TERMINAL: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);

export function finalReply(raw: RawResponse): FinalReply {
  const events = eventsOfRaw(raw);
  if (events.length > 0) return fromEvents(events);
  const response = objectOf(parseJson(bodyOfRaw(raw) ?? ''));
  if (response === undefined) return { responseId: null, items: [] };
  const items = outputOf(response).flatMap((item) =>
    item === undefined ? [] : [{ item, complete: isWhole(item, response), final: true }],
  );
  return { responseId: stringOf(response['id']) ?? null, items };
}

function fromEvents(events: readonly RawEvent[]): FinalReply {
  const begun = new Map<number, WireItem>();
  const done = new Map<number, WireItem>();
  const places = new Places();
  let response: WireItem = {};
  for (const { event, data: text } of events) {
    // The name of the event, if there is one, saves searching its data.
    const data = WHOLE.test(event === undefined ? text : `"${event}"`) ? objectOf(parseJson(text)) : undefined;
    if (data === undefined) continue;
    const type = stringOf(data['type']) ?? event ?? '';
    const item = objectOf(data['item']);
    if (type === 'response.created' || TERMINAL.has(type)) response = objectOf(data['response']) ?? response;
    else if (item !== undefined && type === 'response.output_item.added') begun.set(places.open(data), item);
    else if (item !== undefined && type === 'response.output_item.done') {
      const place = places.find(data);
      places.finish(place);
      done.set(place, item);
    }
  }
  const output = outputOf(response);
  const occupied = new Set([...begun.keys(), ...done.keys(), ...output.keys()]);
  const items = [...occupied]
    .toSorted((a, b) => a - b)
    .flatMap((place): FinalItem[] => {
      const final = done.get(place);
      const last = output[place];
      if (final !== undefined)
        return [{ item: withLateSignature(final, last), complete: isWhole(final, {}), final: true }];
      if (last !== undefined) return [{ item: last, complete: isWhole(last, response), final: true }];
      const item = begun.get(place);
      return item === undefined ? [] : [{ item: withStreamedText(item, place, events), complete: false, final: false }];
    });
  return { responseId: stringOf(response['id']) ?? null, items };
}

function outputOf(response: WireItem): readonly (WireItem | undefined)[] {
  return listOf(response['output']).map(objectOf);
}

/** An item itself says whether it is whole; one that does not is as whole as its response. */
function isWhole(item: WireItem, response: WireItem): boolean {
  const status = stringOf(item['status']) ?? stringOf(response['status']) ?? 'completed';
  return status !== 'incomplete' && status !== 'in_progress' && status !== 'failed' && status !== 'cancelled';
}

/** Azure gives the encrypted content only with the finished response. */
function withLateSignature(item: WireItem, last: WireItem | undefined): WireItem {
  if (!isReasoning(item) || last === undefined || !isReasoning(last)) return item;
  const late = stringOf(last['encrypted_content']);
  return item['encrypted_content'] == null && late !== undefined ? { ...item, encrypted_content: late } : item;
}

/** The text that a message had when its stream broke. */
function withStreamedText(item: WireItem, place: number, events: readonly RawEvent[]): WireItem {
  if (typeOf(item) !== 'message') return item;
  const parts = new Map<number, string>();
  for (const { data: text } of events) {
    const data = text.includes('"response.output_text.delta"') ? objectOf(parseJson(text)) : undefined;
    if (
      data === undefined ||
      (numberOf(data['output_index']) ?? place) !== place ||
      typeOf(data) !== 'response.output_text.delta'
    )
      continue;
    const index = numberOf(data['content_index']) ?? 0;
    parts.set(index, (parts.get(index) ?? '') + (stringOf(data['delta']) ?? ''));
  }
  return { ...item, content: [...parts.values()].map((text) => ({ type: 'output_text', text })) };
}
