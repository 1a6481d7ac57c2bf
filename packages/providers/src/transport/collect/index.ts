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

/**
 * Collects what arrives and what it means. It keeps the contract of a reply whatever the fold does: nothing is thrown,
 * at most one error, and exactly one stop, which is the very last event.
 */
export interface Collector {
  /** A piece of the stream, and the events that it completed. */
  readonly take: (text: string, events: readonly RawEvent[]) => ReplyBatch;
  /** The end of a stream that broke off in the middle of an event: kept, but not parsed. */
  readonly keep: (text: string) => void;
  /** A reply that came as one body. `whole` is false if the connection broke inside it. */
  readonly takeBody: (body: string, whole: boolean) => void;
  /** True once the provider has finished its reply; bytes that follow are kept but have no meaning. */
  readonly stopped: () => boolean;
  /** The last batch. */
  readonly finish: (outcome: StreamOutcome) => ReplyBatch;
  readonly raw: () => RawResponse;
}

export interface CollectorInput {
  readonly protocol: Protocol;
  readonly issuer: Issuer;
  readonly redact: Redact;
  /** ISO time of the first byte. */
  readonly capturedAt: () => string;
}

export function createCollector({ protocol, issuer, redact, capturedAt }: CollectorInput): Collector {
  const fold: ResponseFold = protocol.createFold(issuer);
  // Cut into events again only at the end: a long reply has tens of thousands, and each would live on the heap until
  // then.
  const captured = new KeptText();
  let unread = '';
  let body: string | null = null;
  // The stop is held back until the connection ends: what a provider sends after it is still part of raw.
  let stop: StopEvent | null = null;
  let failed = false;
  let complete = false;

  const admit = (produced: readonly StreamEvent[], events: EventRun): void => {
    for (const event of produced) {
      if (stop !== null) return;
      if (event.type === 'stop') stop = event;
      else if (event.type !== 'error') events.add(event);
      else if (!failed) {
        failed = true;
        events.add({ type: 'error', error: clean(event.error, redact) });
      }
    }
  };
  /** A fold never throws. If one does anyway, the reply ends with an error instead of taking the engine down. */
  const crashed = (error: unknown, events: EventRun): void => {
    const message = `The reply could not be read: ${error instanceof Error ? error.message : String(error)}`;
    admit(
      [
        { type: 'error', error: streamError('malformed', message, false) },
        { type: 'stop', reason: 'error' },
      ],
      events,
    );
  };
  const pending = newEventRun();

  return {
    take: (text, raw) => {
      const events = newEventRun();
      captured.push(text);
      try {
        for (const event of raw) if (stop === null) admit(fold.push(event), events);
      } catch (error) {
        crashed(error, events);
      }
      return { text, events: events.list() };
    },
    keep: (text) => {
      captured.push(text);
      unread = text;
    },
    takeBody: (text, whole) => {
      body = text;
      if (!whole) return;
      try {
        admit(protocol.foldBody(text, issuer), pending);
      } catch (error) {
        crashed(error, pending);
      }
    },
    stopped: () => stop !== null,
    finish: (outcome) => {
      const events = pending;
      try {
        if (stop === null) admit(fold.end(outcome), events);
      } catch (error) {
        crashed(error, events);
      }
      const last = stop ?? ownEnding(outcome, events, failed, redact);
      complete = last.reason !== 'error' && last.reason !== 'interrupted';
      events.add(last);
      // A reply that came as one body is entirely in its last batch: anyone who keeps the texts can fold it again.
      return { text: body ?? unread, events: events.list() };
    },
    raw: () => {
      const { whole, torn } = eventsIn(captured.pieces());
      const payload = rawPayload(protocol.id, torn.length === 0 ? whole : [...whole, ...torn], body);
      return { ...issuer, api: protocol.id, version: 1, capturedAt: capturedAt(), complete, payload };
    },
  };
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
