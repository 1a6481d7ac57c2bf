import type { Issuer, RawEvent, RawResponse, StreamError, StreamEvent } from '@bough/core';
import { rawPayload } from '@bough/core';
import type { Protocol, ResponseFold, StreamOutcome } from '../../protocol.ts';
import type { ReplyBatch } from '../../provider.ts';
import type { Redact } from '../../errors/index.ts';
import { streamError } from '../../errors/index.ts';
import { eventsIn } from '../../framing/index.ts';
import type { EventRun } from './event-run.ts';
import { newEventRun } from './event-run.ts';
import { KeptText } from './kept-text.ts';

type StopEvent = Extract<StreamEvent, { type: 'stop' }>;

export interface CollectorInput {
  readonly protocol: Protocol;
  readonly issuer: Issuer;
  readonly redact: Redact;
  /** ISO time of the first byte. */
  readonly capturedAt: () => string;
}

/**
 * Collects what arrives and what it means. It keeps the contract of a reply whatever the fold does: nothing is thrown,
 * at most one error, and exactly one stop, which is the very last event.
 *
 * A class, as the folds are: what is called for each event must not be a function that is made for each reply. Such
 * functions are compiled once more after every sweep of the heap, for as long as a server runs.
 */
export class Collector {
  readonly #input: CollectorInput;
  readonly #fold: ResponseFold;
  // Cut into events again only at the end: a long reply has tens of thousands, and each would live on the heap until
  // then.
  readonly #captured = new KeptText();
  readonly #pending = newEventRun();
  #unread = '';
  #body: string | null = null;
  // The stop is held back until the connection ends: what a provider sends after it is still part of raw.
  #stop: StopEvent | null = null;
  #failed = false;
  #complete = false;

  constructor(input: CollectorInput) {
    this.#input = input;
    this.#fold = input.protocol.createFold(input.issuer);
  }

  /** A piece of the stream, and the events that it completed. */
  take(text: string, raw: readonly RawEvent[]): ReplyBatch {
    const events = newEventRun();
    this.#captured.push(text);
    try {
      for (const event of raw) if (this.#stop === null) this.#admit(this.#fold.push(event), events);
    } catch (error) {
      this.#crashed(error, events);
    }
    return { text, events: events.list() };
  }

  /** The end of a stream that broke off in the middle of an event: kept, but not parsed. */
  keep(text: string): void {
    this.#captured.push(text);
    this.#unread = text;
  }

  /** A reply that came as one body. `whole` is false if the connection broke inside it. */
  takeBody(text: string, whole: boolean): void {
    this.#body = text;
    if (!whole) return;
    const { protocol, issuer } = this.#input;
    try {
      this.#admit(protocol.foldBody(text, issuer), this.#pending);
    } catch (error) {
      this.#crashed(error, this.#pending);
    }
  }

  /** True once the provider has finished its reply; bytes that follow are kept but have no meaning. */
  stopped(): boolean {
    return this.#stop !== null;
  }

  /** The last batch. */
  finish(outcome: StreamOutcome): ReplyBatch {
    const events = this.#pending;
    try {
      if (this.#stop === null) this.#admit(this.#fold.end(outcome), events);
    } catch (error) {
      this.#crashed(error, events);
    }
    const last = this.#stop ?? ownEnding(outcome, events, this.#failed, this.#input.redact);
    this.#complete = last.reason !== 'error' && last.reason !== 'interrupted';
    events.add(last);
    // A reply that came as one body is entirely in its last batch: anyone who keeps the texts can fold it again.
    return { text: this.#body ?? this.#unread, events: events.list() };
  }

  raw(): RawResponse {
    const { protocol, issuer, capturedAt } = this.#input;
    const { whole, torn } = eventsIn(this.#captured.pieces());
    const payload = rawPayload(protocol.id, torn.length === 0 ? whole : [...whole, ...torn], this.#body);
    return { ...issuer, api: protocol.id, version: 1, capturedAt: capturedAt(), complete: this.#complete, payload };
  }

  #admit(produced: readonly StreamEvent[], events: EventRun): void {
    for (const event of produced) {
      if (this.#stop !== null) return;
      if (event.type === 'stop') this.#stop = event;
      else if (event.type !== 'error') events.add(event);
      else if (!this.#failed) {
        this.#failed = true;
        events.add({ type: 'error', error: clean(event.error, this.#input.redact) });
      }
    }
  }

  /** A fold never throws. If one does anyway, the reply ends with an error instead of taking the engine down. */
  #crashed(error: unknown, events: EventRun): void {
    const message = `The reply could not be read: ${error instanceof Error ? error.message : String(error)}`;
    this.#admit(
      [
        { type: 'error', error: streamError('malformed', message, false) },
        { type: 'stop', reason: 'error' },
      ],
      events,
    );
  }
}

/** How a reply ends if its fold gave no stop. */
function ownEnding(outcome: StreamOutcome, events: EventRun, failed: boolean, redact: Redact): StopEvent {
  switch (outcome.type) {
    case 'closed':
      return { type: 'stop', reason: failed ? 'error' : 'unknown' };
    case 'aborted':
      return { type: 'stop', reason: 'interrupted' };
    case 'failed':
      if (!failed) events.add({ type: 'error', error: clean(outcome.error, redact) });
      return { type: 'stop', reason: 'error' };
  }
}

const MAX_MESSAGE_LENGTH = 2_000;

function clean(error: StreamError, redact: Redact): StreamError {
  return { ...error, message: redact(error.message).slice(0, MAX_MESSAGE_LENGTH) };
}
