import type { Issuer } from '@bough/core';
import type { StreamOutcome } from '../../protocol.ts';
import type { Reply, ReplyBatch } from '../../provider.ts';
import type { Redact } from '../../redact/index.ts';
import type { Collector } from '../collect/index.ts';
import { createCollector } from '../collect/index.ts';
import { connectionError, streamError, timeoutError } from '../errors/index.ts';
import { createEventReader, isWhole } from '../events/index.ts';
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
  const { guard } = result;
  try {
    const chunks = readChunks(result.response, guard, call, collector, onFirstByte);
    yield* readContent(result.response, chunks, call, collector);
  } finally {
    // Also when the reader walks away in the middle: the connection must not stay open for nobody.
    guard.abandon();
    guard.release();
  }
}

type Chunks = AsyncGenerator<Uint8Array, StreamOutcome, void>;

/** The bytes as they come, and in the end how the connection ended. */
async function* readChunks(
  response: Response,
  guard: Guard,
  call: WireCall,
  collector: Collector,
  onFirstByte: () => void,
): Chunks {
  const reader = response.body?.getReader();
  if (reader === undefined) return { type: 'closed' };
  const { firstByteTimeoutMs, silenceTimeoutMs, drainTimeoutMs } = call.settings;
  let started = false;
  try {
    for (;;) {
      if (collector.stopped()) guard.arm('silence', drainTimeoutMs);
      else if (started) guard.arm('silence', silenceTimeoutMs);
      else guard.arm('first byte', firstByteTimeoutMs);
      const { done, value } = await reader.read();
      // Disarmed while the consumer works: its pauses are not the provider's silence.
      guard.disarm();
      if (done) return { type: 'closed' };
      if (!started) onFirstByte();
      started = true;
      yield value;
      if (guard.cause()?.type === 'aborted') return { type: 'aborted' };
    }
  } catch (error) {
    const cause = guard.cause();
    const { host } = new URL(call.url);
    if (cause?.type === 'aborted') return { type: 'aborted' };
    return { type: 'failed', error: cause === null ? connectionError(error, host) : timeoutError(cause, host) };
  }
}

/** An event stream, or one body: the declared type decides, and where a server declares something else, the first character. */
async function* readContent(
  response: Response,
  chunks: Chunks,
  call: WireCall,
  collector: Collector,
): AsyncGenerator<ReplyBatch, void, void> {
  const first = await chunks.next();
  if (first.done === true) {
    yield collector.finish(first.value);
    return;
  }
  const declared = response.headers.get('content-type') ?? '';
  const isStream = declared.includes('text/event-stream') || !/^\s*[[{<]/.test(new TextDecoder().decode(first.value));
  yield* isStream ? readEvents(first.value, chunks, call, collector) : readBody(first.value, chunks, call, collector);
}

async function* readEvents(
  first: Uint8Array,
  chunks: Chunks,
  call: WireCall,
  collector: Collector,
): AsyncGenerator<ReplyBatch, void, void> {
  const events = createEventReader(call.settings.maxEventLength);
  let chunk = first;
  for (;;) {
    const raw = events.read(chunk);
    if (raw.length > 0) yield collector.take(raw);
    if (events.overflowed()) {
      yield collector.finish({ type: 'failed', error: tooLong() });
      return;
    }
    const next = await chunks.next();
    if (next.done === true) {
      const rest = events.rest();
      // Cut in the middle of an event: kept for the record. To read it would call the reply malformed, which it is not.
      if (!rest.every(isWhole)) collector.keep(rest);
      else if (rest.length > 0) yield collector.take(rest);
      yield collector.finish(next.value);
      return;
    }
    chunk = next.value;
  }
}

async function* readBody(
  first: Uint8Array,
  chunks: Chunks,
  call: WireCall,
  collector: Collector,
): AsyncGenerator<ReplyBatch, void, void> {
  const decoder = new TextDecoder();
  const parts = [decoder.decode(first, { stream: true })];
  let length = 0;
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) {
      collector.takeBody(parts.join('') + decoder.decode(), next.value.type === 'closed');
      yield collector.finish(next.value);
      return;
    }
    const text = decoder.decode(next.value, { stream: true });
    length += text.length;
    if (length > call.settings.maxEventLength) {
      yield collector.finish({ type: 'failed', error: tooLong() });
      return;
    }
    parts.push(text);
  }
}

function tooLong(): ReturnType<typeof streamError> {
  return streamError('malformed', 'The reply holds an event that is longer than any provider sends.', false);
}
