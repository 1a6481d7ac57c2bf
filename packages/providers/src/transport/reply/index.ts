import type { Issuer } from '@bough/core';
import type { StreamOutcome } from '../../protocol.ts';
import type { Reply, ReplyBatch } from '../../provider.ts';
import type { Redact } from '../../errors/index.ts';
import type { Collector } from '../collect/index.ts';
import { createCollector } from '../collect/index.ts';
import { connectionError, streamError, timeoutError } from '../../errors/index.ts';
import { createEventReader, isWhole } from '../../framing/sse.ts';
import type { Guard } from '../guard/index.ts';
import type { Attempt, WireCall } from '../open/index.ts';
import { openResponse } from '../open/index.ts';

export interface ReplyInput {
  readonly call: WireCall;
  readonly issuer: Issuer;
  readonly redact: Redact;
}

/**
 * Sends the request and gives the reply as it comes. Nothing here throws or rejects: whatever goes wrong is an event.
 * Reading is driven by whoever iterates; a slow reader slows the provider down instead of filling the memory.
 */
export function startReply({ call, issuer, redact }: ReplyInput): Reply {
  const { clock } = call.settings;
  let firstByteAt = clock.now();
  const collector = createCollector({
    protocol: call.protocol,
    issuer,
    redact,
    capturedAt: () => new Date(firstByteAt).toISOString(),
  });
  const opening = openResponse(call);
  return {
    batches: readReply(call, opening, collector, () => {
      firstByteAt = clock.now();
    }),
    head: opening.then((result) => ({ providerRequestId: result.type === 'aborted' ? null : result.requestId })),
    raw: collector.raw,
  };
}

async function* readReply(
  call: WireCall,
  opening: Promise<Attempt>,
  collector: Collector,
  onFirstByte: () => void,
): AsyncGenerator<ReplyBatch, void, void> {
  const result = await opening;
  if (result.type === 'aborted') {
    yield collector.finish({ type: 'aborted' });
    return;
  }
  if (result.type === 'failed') {
    yield collector.finish({ type: 'failed', error: result.error });
    return;
  }
  const { guard, response } = result;
  let isClosed = false;
  try {
    const next = chunkReader(response, guard, call, collector);
    const first = await next();
    if (!(first instanceof Uint8Array)) {
      yield collector.finish(first);
      return;
    }
    onFirstByte();
    const reading = readingOf(response, first, call, collector);
    let chunk: Uint8Array | StreamOutcome = first;
    // One loop, without generators inside it: each of them would add promises to every piece of every reply.
    while (chunk instanceof Uint8Array) {
      const batch = reading.take(chunk);
      if (batch !== null) yield batch;
      chunk = reading.overflowed() ? { type: 'failed', error: tooLong() } : await next();
    }
    isClosed = chunk.type === 'closed';
    const rest = reading.end(chunk);
    if (rest !== null) yield rest;
    yield collector.finish(chunk);
  } finally {
    // Also when the reader walks away in the middle: the connection must not stay open for nobody.
    if (!isClosed) guard.abandon();
    guard.release();
  }
}

/** The bytes as they come, and in the end how the connection ended. */
function chunkReader(
  response: Response,
  guard: Guard,
  call: WireCall,
  collector: Collector,
): () => Promise<Uint8Array | StreamOutcome> {
  const reader = response.body?.getReader();
  const { firstByteTimeoutMs, silenceTimeoutMs, drainTimeoutMs } = call.settings;
  let started = false;
  return async () => {
    if (reader === undefined) return { type: 'closed' };
    if (started && guard.cause()?.type === 'aborted') return { type: 'aborted' };
    try {
      if (collector.stopped()) guard.arm('silence', drainTimeoutMs);
      else if (started) guard.arm('silence', silenceTimeoutMs);
      else guard.arm('first byte', firstByteTimeoutMs);
      const { done, value } = await reader.read();
      // Disarmed while the consumer works: its pauses are not the provider's silence.
      guard.disarm();
      started = true;
      return done ? { type: 'closed' } : value;
    } catch (error) {
      const cause = guard.cause();
      const { host } = new URL(call.url);
      if (cause?.type === 'aborted') return { type: 'aborted' };
      return { type: 'failed', error: cause === null ? connectionError(error, host) : timeoutError(cause, host) };
    }
  };
}

/** How the bytes of a reply are read. */
interface Reading {
  /** What the chunk completed; null where that is nothing. */
  readonly take: (chunk: Uint8Array) => ReplyBatch | null;
  /** True once a part of the reply is longer than any provider sends. */
  readonly overflowed: () => boolean;
  /** What stood unfinished when the connection ended. */
  readonly end: (outcome: StreamOutcome) => ReplyBatch | null;
}

/** An event stream, or one body: the declared type decides, and where a server declares something else, the first character. */
function readingOf(response: Response, first: Uint8Array, call: WireCall, collector: Collector): Reading {
  const declared = response.headers.get('content-type') ?? '';
  const isStream = declared.includes('text/event-stream') || !/^\s*[[{<]/.test(new TextDecoder().decode(first));
  return isStream ? eventReading(call, collector) : bodyReading(call, collector);
}

function eventReading({ settings }: WireCall, collector: Collector): Reading {
  // Not fatal: malformed bytes become replacement characters, and the fold says that the event is malformed.
  const decoder = new TextDecoder();
  const reader = createEventReader(settings.maxEventLength);
  let unfinished = '';
  return {
    take: (chunk) => {
      const piece = decoder.decode(chunk, { stream: true });
      const text = unfinished === '' ? piece : unfinished + piece;
      const events = reader.read(piece);
      unfinished = events.length === 0 ? text : '';
      return events.length === 0 ? null : collector.take(text, events);
    },
    overflowed: reader.overflowed,
    end: () => {
      if (reader.overflowed()) return null;
      const piece = decoder.decode();
      const text = unfinished + piece;
      const rest = [...reader.read(piece), ...reader.rest()];
      if (rest.length > 0 && rest.every(isWhole)) return collector.take(text, rest);
      // Cut in the middle of an event: kept for the record. To read it would call the reply malformed, which it is not.
      collector.keep(text);
      return null;
    },
  };
}

function bodyReading({ settings }: WireCall, collector: Collector): Reading {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let length = 0;
  const overflowed = () => length > settings.maxEventLength;
  return {
    take: (chunk) => {
      const text = decoder.decode(chunk, { stream: true });
      length += text.length;
      parts.push(text);
      return null;
    },
    overflowed,
    end: (outcome) => {
      if (!overflowed()) collector.takeBody(parts.join('') + decoder.decode(), outcome.type === 'closed');
      return null;
    },
  };
}

function tooLong(): ReturnType<typeof streamError> {
  return streamError('malformed', 'The reply holds an event that is longer than any provider sends.', false);
}
