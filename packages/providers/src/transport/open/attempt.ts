import type { StreamError } from '@bough/core';
import type { Protocol } from '../../protocol.ts';
import type { SendOptions } from '../../provider.ts';
import { watchConnection } from '../connection/index.ts';
import { connectionError, streamError, timeoutError } from '../../errors/index.ts';
import type { ReadBlob } from '../fill/index.ts';
import { filledBody, MissingFileError, placesOf } from '../fill/index.ts';
import type { SecretOf } from '../../secrets/index.ts';
import { MissingSecretError } from '../../secrets/index.ts';
import type { Guard } from '../guard/index.ts';
import { createGuard } from '../guard/index.ts';
import type { Settings } from '../options.ts';
import { mayRetry, readRetryAfter } from '../retry/index.ts';
import { withoutLimits } from '../without-limits.ts';

/** A request with its secrets, ready for the wire. */
export interface WireCall {
  readonly url: string;
  /** Made anew for every attempt: a signature may contain a time. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly body: string | readonly Uint8Array[];
  /** Fills the places for files that the body names. */
  readonly readBlob?: ReadBlob | undefined;
  /** Fills the places for secrets. */
  readonly secretOf?: SecretOf | undefined;
  readonly protocol: Protocol;
  readonly signal: AbortSignal;
  readonly onPause?: SendOptions['onPause'];
  readonly settings: Settings;
}

/** How one attempt went until the response began. The guard of an open response is still active. */
export type Attempt =
  | { readonly type: 'open'; readonly response: Response; readonly guard: Guard; readonly requestId: string | null }
  | { readonly type: 'aborted' }
  | {
      readonly type: 'failed';
      readonly error: StreamError;
      readonly requestId: string | null;
      /** Whether the same request may succeed in a moment. */
      readonly again: boolean;
      readonly retryAfterMs: number | null;
    };

const REQUEST_ID_HEADERS = ['request-id', 'x-request-id', 'x-goog-request-id', 'x-amzn-requestid', 'cf-ray'];
const MAX_ERROR_BODY = 64 * 1024;
const MAX_REQUEST_ID = 200;

export async function attempt(call: WireCall): Promise<Attempt> {
  const { settings } = call;
  const guard = createGuard(call.signal, settings.clock);
  let handedOver = false;
  try {
    const response = await request(call, guard);
    guard.disarm();
    const requestId = requestIdOf(response.headers);
    if (response.ok) {
      handedOver = true;
      return { type: 'open', response, guard, requestId };
    }
    return await refusal(call, response, guard, requestId);
  } catch (error) {
    return failure(error, guard, new URL(call.url).host);
  } finally {
    if (!handedOver) guard.release();
  }
}

async function request(call: WireCall, guard: Guard): Promise<Response> {
  const { fetch, connectTimeoutMs, firstByteTimeoutMs } = call.settings;
  const content = await contentOf(call);
  guard.arm('first byte', firstByteTimeoutMs);
  return watchConnection(
    {
      onWaiting: () => guard.arm('connect', connectTimeoutMs),
      onConnected: () => guard.arm('first byte', firstByteTimeoutMs),
    },
    () =>
      fetch(call.url, {
        method: 'POST',
        ...content,
        ...withoutLimits(),
        signal: guard.signal,
        // A redirect would carry the key to wherever it points.
        redirect: 'manual',
      }),
  );
}

/**
 * Pieces are written one after the other, never joined: they are megabytes. Their length is known, so no chunked
 * encoding is needed.
 */
async function contentOf({ headers: made, body, readBlob, secretOf }: WireCall) {
  const headers = made();
  const segments = placesOf(body);
  if (segments !== null) {
    const filled = await filledBody(segments, readBlob ?? nothingStored, secretOf);
    if (IN_A_PAGE) return { headers, body: await new Response(filled.stream()).blob() };
    return {
      headers: { ...headers, 'content-length': String(filled.length) },
      body: filled.stream(),
      duplex: 'half' as const,
    };
  }
  if (typeof body === 'string') return { headers, body };
  if (IN_A_PAGE) return { headers, body: new Blob([...body] as Uint8Array<ArrayBuffer>[]) };
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of body) controller.enqueue(piece);
      controller.close();
    },
  });
  return { headers: { ...headers, 'content-length': String(length) }, body: stream, duplex: 'half' as const };
}

/** Browsers send no stream over HTTP/1, and count the bytes themselves; a Blob need not be in memory either. */
const IN_A_PAGE = 'document' in globalThis || 'WorkerGlobalScope' in globalThis;

const nothingStored: ReadBlob = () => Promise.resolve(undefined);

/** An HTTP error, read as far as it is useful. */
async function refusal(call: WireCall, response: Response, guard: Guard, requestId: string | null): Promise<Attempt> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    const { host } = new URL(call.url);
    const error = streamError(
      'invalid_request',
      `${host} redirects elsewhere. Set the base URL to the final address.`,
      false,
    );
    return {
      type: 'failed',
      error: { ...error, status: response.status },
      requestId,
      again: false,
      retryAfterMs: null,
    };
  }
  const body = await readStart(response, guard, call.settings.silenceTimeoutMs);
  const known = call.protocol.readError(response.status, body);
  const error: StreamError = {
    ...known,
    status: response.status,
    ...(requestId === null ? {} : { providerRequestId: requestId }),
  };
  return {
    type: 'failed',
    error,
    requestId,
    again: error.retryable && mayRetry(response.headers),
    retryAfterMs: readRetryAfter(response.headers, call.settings.clock.now()),
  };
}

/** The beginning of an error body. One that breaks off is as good as a short one: the status is known. */
async function readStart(response: Response, guard: Guard, silenceMs: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (text.length < MAX_ERROR_BODY) {
      guard.arm('silence', silenceMs);
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    if (guard.cause()?.type === 'aborted') throw error;
  }
  guard.disarm();
  guard.abandon();
  return text;
}

function failure(error: unknown, guard: Guard, host: string): Attempt {
  const cause = guard.cause();
  if (cause?.type === 'aborted') return { type: 'aborted' };
  const lost = { type: 'failed', requestId: null, retryAfterMs: null } as const;
  if (cause !== null) {
    // A model that has not answered yet may be thinking: asking again would pay for the thought twice.
    return { ...lost, error: timeoutError(cause, host), again: cause.phase === 'connect' };
  }
  const missing = missingIn(error);
  if (missing !== null) return { ...lost, error: streamError('invalid_request', missing.message, false), again: false };
  const known = connectionError(error, host);
  return { ...lost, error: known, again: known.retryable };
}

/** A file may turn out to be missing while it is sent: then fetch wraps the error. */
function missingIn(error: unknown): MissingFileError | MissingSecretError | null {
  if (error instanceof MissingFileError || error instanceof MissingSecretError) return error;
  return error instanceof Error && error.cause instanceof MissingFileError ? error.cause : null;
}

function requestIdOf(headers: Headers): string | null {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers.get(name);
    if (value !== null) return value.slice(0, MAX_REQUEST_ID);
  }
  return null;
}
