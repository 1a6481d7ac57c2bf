/** What decides how long a retry waits. */
export interface Backoff {
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  readonly maxRetryAfterMs: number;
  readonly random: () => number;
}

/**
 * Milliseconds until the next attempt, or null if waiting is pointless: the provider asks for a longer wait than we
 * allow. `attempt` counts from 0.
 */
export function retryDelay(attempt: number, retryAfterMs: number | null, backoff: Backoff): number | null {
  if (retryAfterMs !== null) return retryAfterMs <= backoff.maxRetryAfterMs ? retryAfterMs : null;
  const full = Math.min(backoff.maxBackoffMs, backoff.backoffMs * 2 ** attempt);
  // Half of it fixed, half random: clients that failed together must not come back together.
  return Math.round(full / 2 + (full / 2) * backoff.random());
}

/** Reads Retry-After (seconds or a date) and its finer variant in milliseconds. Null if the provider gave none. */
export function readRetryAfter(headers: Headers, now: number): number | null {
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return Math.ceil(milliseconds);
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** False if the provider says that another attempt is useless, whatever the status usually means. */
export function mayRetry(headers: Headers): boolean {
  return headers.get('x-should-retry') !== 'false';
}
