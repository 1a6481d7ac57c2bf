import type { Issuer } from '@bough/core';
import type { StreamOutcome } from '../../protocol.ts';
import type { Reply, ReplyBatch } from '../../provider.ts';
import type { Redact } from '../../errors/index.ts';
import { Collector } from '../collect/index.ts';
import { connectionError, streamError, timeoutError } from '../../errors/index.ts';
import { framingOf } from '../../framing/index.ts';
import { joinBytes } from '../../render/body-text.ts';
import type { Guard } from '../guard/index.ts';
import type { Attempt, WireCall } from '../open/index.ts';
import { openResponse } from '../open/index.ts';

export interface ReplyInput {
  readonly call: WireCall;
  readonly issuer: Issuer;
  readonly redact: Redact;
}

/**
 * Sends the request and returns the reply as it comes. Nothing here throws or rejects: whatever goes wrong is an event.
 * Reading is driven by the consumer; a slow reader slows the provider down instead of filling the memory.
 */
export function startReply({ call, issuer, redact }: ReplyInput): Reply {
  const { clock } = call.settings;
  let firstByteAt = clock.now();
  const collector = new Collector({
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
    head: opening.then((result) => ({
      providerRequestId: result.type === 'aborted' ? null : result.requestId,
      retryAfterMs: result.type === 'failed' ? result.retryAfterMs : null,
    })),
    raw: () => collector.raw(),
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
    let first = await next();
    if (!(first instanceof Uint8Array)) {
      yield collector.finish(first);
      return;
    }
    onFirstByte();
    // Gateways send white space while they wait for the model: only what follows shows what kind of reply it is.
    while (isBlank(first)) {
      const more = await next();
      if (!(more instanceof Uint8Array)) {
        yield collector.finish(more);
        return;
      }
      first = joinBytes([first, more]);
    }
    const declared = response.headers.get('content-type') ?? '';
    const reading = framingOf(declared, first).read(call.settings.maxEventLength);
    let chunk: Uint8Array | StreamOutcome = first;
    // One loop, without generators inside it: each would add promises to every piece of every reply.
    while (chunk instanceof Uint8Array) {
      const framed = reading.take(chunk);
      if (framed !== null) yield collector.take(framed.text, framed.events);
      chunk = reading.overflowed() ? { type: 'failed', error: tooLong() } : await next();
    }
    isClosed = chunk.type === 'closed';
    if (!reading.overflowed()) {
      const rest = reading.end();
      if (rest.type === 'events') yield collector.take(rest.text, rest.events);
      else if (rest.type === 'body') collector.takeBody(rest.text, isClosed);
      else collector.keep(rest.text);
    }
    yield collector.finish(chunk);
  } finally {
    // Also when the reader walks away in the middle: the connection must not stay open unused.
    if (!isClosed) guard.abandon();
    guard.release();
  }
}

const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => BLANKS.has(byte));
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The bytes as they come, and finally how the connection ended. */
function chunkReader(
  response: Response,
  guard: Guard,
  call: WireCall,
  collector: Collector,
): () => Promise<Uint8Array | StreamOutcome> {
  const reader = response.body?.getReader();
  // Node's fetch may leave a read that is under way when it is aborted pending for ever.
  guard.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined), { once: true });
  const { host } = new URL(call.url);
  const broken = (error: unknown): StreamOutcome => {
    const cause = guard.cause();
    if (cause?.type === 'aborted') return { type: 'aborted' };
    return { type: 'failed', error: cause === null ? connectionError(error, host) : timeoutError(cause, host) };
  };
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
      if (!done) return value;
      return guard.cause() === null || collector.stopped() ? { type: 'closed' } : broken(null);
    } catch (error) {
      return broken(error);
    }
  };
}

function tooLong(): ReturnType<typeof streamError> {
  return streamError('malformed', 'The reply holds an event that is longer than any provider sends.', false);
}
