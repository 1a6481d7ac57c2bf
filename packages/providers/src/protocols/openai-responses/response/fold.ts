import type { RawEvent, StreamError, StreamEvent } from '@bough/core';
import { CUT_SHORT, providerError } from '../../../errors/index.ts';
import type { ResponseFold, StreamOutcome } from '../../../protocol.ts';
import { DeltaTemplate } from '../../../framing/delta-template.ts';
import { saysNothing } from '../../../framing/idle-data.ts';
import { errorObject, readStreamError } from '../errors.ts';
import type { WireItem } from '../wire.ts';
import { listOf, numberOf, objectOf, stringOf, typeOf } from '../wire.ts';
import { parseJson } from '../../../render/json-text.ts';
import type { ItemFold, Part } from './item-fold.ts';
import { openItem } from './open-item.ts';
import { Places } from './places.ts';
import { readStop, readUsage } from './usage.ts';

export const MALFORMED = providerError('malformed', 'The provider sent something that is not a Responses reply.');

/** The delta events: which part they continue, and the kind of item that part belongs to. */
const DELTAS: ReadonlyMap<string, { of: Part['of']; index: string; item: string }> = new Map([
  ['response.output_text.delta', { of: 'text', index: 'content_index', item: 'message' }],
  ['response.refusal.delta', { of: 'refusal', index: 'content_index', item: 'message' }],
  ['response.reasoning_summary_text.delta', { of: 'summary', index: 'summary_index', item: 'reasoning' }],
  ['response.reasoning_text.delta', { of: 'reasoning', index: 'content_index', item: 'reasoning' }],
  ['response.function_call_arguments.delta', { of: 'arguments', index: 'content_index', item: 'function_call' }],
]);

export class ResponsesFold implements ResponseFold {
  readonly #items = new Map<number, ItemFold>();
  readonly #places = new Places();
  #nextIndex = 0;
  #started = false;
  #called = false;
  #refused = false;
  #stopped = false;
  readonly #template = new DeltaTemplate(['sequence_number', 'obfuscation']);
  /** What the events that the template recognises continue. */
  #streaming: { readonly item: ItemFold; readonly part: Part } | null = null;

  push(event: RawEvent): readonly StreamEvent[] {
    if (this.#stopped) return [];
    const text = this.#template.match(event.data);
    if (text !== null && this.#streaming !== null) return this.#streaming.item.delta(this.#streaming.part, text);
    // Any other event may open or end an item in the same place.
    this.#streaming = null;
    if (saysNothing(event.data)) return [];
    const data = objectOf(parseJson(event.data));
    if (data === undefined) return this.#fail(MALFORMED);
    return this.#handle(stringOf(data['type']) ?? event.event ?? '', data, event.data);
  }

  end(outcome: StreamOutcome): readonly StreamEvent[] {
    if (this.#stopped) return [];
    if (outcome.type === 'failed') return this.#fail(outcome.error);
    if (outcome.type === 'closed') return this.#fail(CUT_SHORT);
    this.#stopped = true;
    return [...this.#settle([]), { type: 'stop', reason: 'interrupted' }];
  }

  /** A whole response, from a terminal event or from the body of a reply that was not streamed. */
  respond(response: WireItem): readonly StreamEvent[] {
    this.#stopped = true;
    const events = [...this.#start(response), ...this.#settle(listOf(response['output']))];
    const usage = readUsage(response);
    if (usage !== null) events.push({ type: 'usage', usage });
    const error = objectOf(response['error']);
    if (error === undefined && response['status'] !== 'failed') {
      return [
        ...events,
        { type: 'stop', reason: readStop(response, { called: this.#called, refused: this.#refused }) },
      ];
    }
    return [...events, { type: 'error', error: readStreamError(error) }, { type: 'stop', reason: 'error' }];
  }

  #handle(type: string, data: WireItem, json: string): readonly StreamEvent[] {
    const delta = DELTAS.get(type);
    if (delta !== undefined) {
      const item = this.#open(this.#places.find(data), { type: delta.item });
      const part = { of: delta.of, index: numberOf(data[delta.index]) ?? 0 };
      const text = stringOf(data['delta']) ?? '';
      // If an event does not say which item it is about, the next one may be about another.
      if (data['type'] === type && numberOf(data['output_index']) !== undefined) {
        this.#streaming = this.#template.learn(json, text) ? { item, part } : null;
      }
      return item.delta(part, text);
    }
    const response = objectOf(data['response']);
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return response === undefined ? [] : this.#start(response);
      case 'response.output_item.added': {
        const item = objectOf(data['item']);
        return item === undefined ? [] : this.#open(this.#places.open(data), item).begin(item);
      }
      case 'response.output_item.done': {
        const item = objectOf(data['item']);
        return item === undefined ? [] : this.#finish(this.#places.find(data), item);
      }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return response === undefined ? this.#fail(MALFORMED) : this.respond(response);
      case 'error':
        return this.#fail(readStreamError(data));
      default:
        // Progress of built-in tools, annotations, heartbeats: the item repeats what they say. Proxies report an error
        // as an event without a type.
        return data['type'] === undefined && errorObject(data) !== undefined ? this.#fail(readStreamError(data)) : [];
    }
  }

  #start(response: WireItem): StreamEvent[] {
    if (this.#started) return [];
    this.#started = true;
    const responseId = stringOf(response['id']);
    const model = stringOf(response['model']);
    return [{ type: 'start', ...(responseId !== undefined && { responseId }), ...(model !== undefined && { model }) }];
  }

  #open(place: number, item: WireItem): ItemFold {
    const known = this.#items.get(place);
    if (known !== undefined) return known;
    const opened = openItem(item, () => this.#nextIndex++);
    this.#items.set(place, opened);
    return opened;
  }

  #finish(place: number, item: WireItem): readonly StreamEvent[] {
    const open = this.#open(place, item);
    if (open.type !== typeOf(item)) return [];
    this.#places.finish(place);
    const events = open.finish(item);
    this.#called ||= events.some((event) => event.type === 'tool_call');
    this.#refused ||= events.some((event) => event.type === 'block' && event.block.type === 'refusal');
    return events;
  }

  /** Everything is over: completes what the item events left open from the terminal response. */
  #settle(output: readonly unknown[]): StreamEvent[] {
    const events: StreamEvent[] = [];
    output.forEach((value, place) => {
      const item = objectOf(value);
      if (item !== undefined && !this.#places.isFinished(place)) events.push(...this.#finish(place, item));
    });
    for (const [place, open] of this.#items) {
      const last = objectOf(output[place]);
      events.push(...open.settle(last !== undefined && typeOf(last) === open.type ? last : undefined));
    }
    return events;
  }

  #fail(error: StreamError): readonly StreamEvent[] {
    this.#stopped = true;
    return [...this.#settle([]), { type: 'error', error }, { type: 'stop', reason: 'error' }];
  }
}
