import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { Wire } from './forward/wire.ts';
import { createFetchWire } from './forward/wire.ts';

/** Options of the transport. Times are in milliseconds. */
export interface TransportOptions {
  readonly fetch?: typeof globalThis.fetch;
  /** What carries other clients' requests. Absent: `fetch`, as for Bough's own. */
  readonly wire?: Wire;
  readonly clock?: Clock;
  /** Between 0 and 1, for the jitter of the backoff. */
  readonly random?: () => number;
  /**
   * Until the connection is established, TLS included. Observed only with Node's own fetch, which itself gives up after
   * ten seconds.
   */
  readonly connectTimeoutMs?: number;
  /** From the request to the first byte of the reply. Node's own fetch gives up after 300 s, whatever is set here. */
  readonly firstByteTimeoutMs?: number;
  /** Between two pieces of the reply; a provider's keep-alive comments count as pieces. The same 300 s apply. */
  readonly silenceTimeoutMs?: number;
  /** Attempts after the first, all of them before the first byte. */
  readonly retries?: number;
  readonly backoffMs?: number;
  readonly maxBackoffMs?: number;
  /** If a provider asks for a longer pause than this, there is no retry. */
  readonly maxRetryAfterMs?: number;
  /** How long to wait for the connection to end once the reply is whole. */
  readonly drainTimeoutMs?: number;
  /** The longest single event, and the longest reply that is not streamed, in characters. */
  readonly maxEventLength?: number;
}

export type Settings = Required<TransportOptions>;

export function settingsOf(options: TransportOptions): Settings {
  const { fetch = globalThis.fetch } = options;
  return {
    fetch,
    wire: createFetchWire(fetch),
    clock: systemClock,
    random: Math.random,
    connectTimeoutMs: 9_000,
    firstByteTimeoutMs: 240_000,
    silenceTimeoutMs: 240_000,
    retries: 3,
    backoffMs: 500,
    maxBackoffMs: 20_000,
    maxRetryAfterMs: 60_000,
    drainTimeoutMs: 2_000,
    maxEventLength: 64 * 1024 * 1024,
    ...options,
  };
}
