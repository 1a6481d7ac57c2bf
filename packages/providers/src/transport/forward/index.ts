import type { StreamError } from '@bough/core';
import type { Deployment } from '../../deployment.ts';
import { connectionError, streamError, timeoutError } from '../../errors/index.ts';
import type { KeyProblem } from '../../provider.ts';
import type { Guard } from '../guard/index.ts';
import { createGuard } from '../guard/index.ts';
import { unusableKey } from '../key.ts';
import type { Settings } from '../options.ts';
import { addressBelow } from './address.ts';
import type { WireReply } from './wire.ts';

/** Another client's request, to be sent as it is. */
export interface ForwardInput {
  readonly method: string;
  /** The vendor's path with its query. */
  readonly path: string;
  /** Names in lower case, without what belongs to the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the client's own key is among the headers or in the query: then the deployment's is not added. */
  readonly hasKey: boolean;
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal;
}

/** How it was answered. Nothing is thrown, and nothing is tried twice: the client has its own way to retry. */
export type Forwarded =
  | {
      readonly type: 'answered';
      readonly status: number;
      /** Names in lower case; several values of one are joined. */
      readonly headers: Readonly<Record<string, string>>;
      /** The bytes, unpacked if the server packed them although it was asked not to. */
      readonly body: ForwardedBody;
    }
  | { readonly type: 'aborted' }
  | { readonly type: 'failed'; readonly error: StreamError };

/** Read at the reader's pace: the provider is held back where nobody asks for more. */
export interface ForwardedBody {
  readonly next: () => Promise<ForwardedPiece>;
  /** Ends the call if it has not ended; later calls do nothing. */
  readonly abandon: () => void;
}

export type ForwardedPiece =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'aborted' }
  | { readonly type: 'failed'; readonly error: StreamError };

export interface ForwardEnvironment {
  readonly deployment: Deployment;
  readonly key: string | null;
  readonly keyProblem: KeyProblem | null;
  readonly settings: Settings;
}

export async function forward(input: ForwardInput, environment: ForwardEnvironment): Promise<Forwarded> {
  const { deployment, key, keyProblem, settings } = environment;
  const { host } = new URL(deployment.baseUrl);
  const url = addressBelow(deployment.baseUrl, input.path);
  if (url === null)
    return failed(streamError('invalid_request', `The path leads out of the address of ${deployment.label}.`, false));
  if (!input.hasKey && keyProblem !== null) return failed(streamError('authentication', keyProblem.message, false));
  const unusable = input.hasKey ? null : unusableKey(key, deployment);
  if (unusable !== null) return failed(unusable);
  const guard = createGuard(input.signal, settings.clock);
  try {
    const headers = headersOf(input, url, deployment, key);
    const reply = await request(url, { ...input, headers }, guard, settings);
    guard.disarm();
    if (reply.status >= 300 && reply.status < 400 && reply.status !== 304) {
      reply.cancel();
      guard.release();
      const advice = `${host} redirects elsewhere. Set the base URL to the final address.`;
      return failed({ ...streamError('invalid_request', advice, false), status: reply.status });
    }
    return {
      type: 'answered',
      status: reply.status,
      headers: reply.headers,
      body: bodyOf(reply, guard, host, settings),
    };
  } catch (error) {
    guard.release();
    return broken(error, guard, host);
  }
}

/** The client's headers win over the deployment's, except for the key that it did not send. */
function headersOf(
  { method, headers, hasKey }: ForwardInput,
  url: string,
  deployment: Deployment,
  key: string | null,
): Readonly<Record<string, string>> {
  // Packed bytes could neither be looked at nor compared; and the client may not be able to unpack them.
  const whole = { ...deployment.headers, ...headers, 'accept-encoding': 'identity' };
  if (hasKey || key === null) return whole;
  // What is signed is the head: other clients' bodies may be streams.
  return { ...whole, ...deployment.authorize(key, { method, url, headers: whole, body: '' }) };
}

function request(
  url: string,
  { method, headers, body }: ForwardInput,
  guard: Guard,
  { wire, connectTimeoutMs, clientTimeoutMs }: Settings,
): Promise<WireReply> {
  const waitForReply = (): void => guard.arm('first byte', clientTimeoutMs);
  waitForReply();
  return wire({
    url,
    method,
    headers,
    body,
    signal: guard.signal,
    onWaiting: () => guard.arm('connect', connectTimeoutMs),
    onConnected: waitForReply,
    // A long upload is no silence: every piece of it is a sign of life.
    onPiece: waitForReply,
  });
}

function bodyOf({ read }: WireReply, guard: Guard, host: string, { clientTimeoutMs }: Settings): ForwardedBody {
  let over: ForwardedPiece | null = null;
  const finish = (last: ForwardedPiece): ForwardedPiece => {
    over ??= last;
    guard.release();
    return over;
  };
  return {
    next: async () => {
      if (over !== null) return over;
      guard.arm('silence', clientTimeoutMs);
      try {
        const bytes = await read();
        guard.disarm();
        return bytes === null ? finish({ type: 'end' }) : { type: 'bytes', bytes };
      } catch (error) {
        return finish(broken(error, guard, host));
      }
    },
    abandon: () => {
      if (over !== null) return;
      guard.abandon();
      finish({ type: 'aborted' });
    },
  };
}

function broken(error: unknown, guard: Guard, host: string): Extract<Forwarded, { type: 'aborted' | 'failed' }> {
  const cause = guard.cause();
  if (cause?.type === 'aborted') return { type: 'aborted' };
  return failed(cause === null ? connectionError(error, host) : timeoutError(cause, host));
}

function failed(error: StreamError): Extract<Forwarded, { type: 'failed' }> {
  return { type: 'failed', error };
}
