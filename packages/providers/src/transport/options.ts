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
  /** From the request to the first byte of the reply. */
  readonly firstByteTimeoutMs?: number;
  /** Between two pieces of the reply; a provider's keep-alive comments count as pieces. */
  readonly silenceTimeoutMs?: number;
  /**
   * Of another client's request: from its end to the first byte of the answer, and between two pieces of that. A client
   * knows how long it waits, and the call ends when it leaves; this ends what nobody remembers.
   */
  readonly clientTimeoutMs?: number;
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
    clientTimeoutMs: 3_600_000,
    retries: 3,
    backoffMs: 500,
    maxBackoffMs: 20_000,
    maxRetryAfterMs: 60_000,
    drainTimeoutMs: 2_000,
    maxEventLength: 64 * 1024 * 1024,
    ...options,
  };
}

/** Clients have limits and retry loops of their own: ours would only be multiplied with them. */
export function settingsForClient(settings: Settings): Settings {
  const { clientTimeoutMs } = settings;
  return { ...settings, retries: 0, firstByteTimeoutMs: clientTimeoutMs, silenceTimeoutMs: clientTimeoutMs };
}
