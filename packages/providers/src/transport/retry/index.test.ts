import { describe, expect, it } from 'vitest';
import { mayRetry, readRetryAfter, retryDelay } from './index.ts';

const backoff = (random: number) => ({
  backoffMs: 500,
  maxBackoffMs: 4_000,
  maxRetryAfterMs: 60_000,
  random: () => random,
});

describe('retryDelay', () => {
  it('TRN-6: doubles up to the limit, half of it by chance', () => {
    expect([0, 1, 2, 3, 9].map((attempt) => retryDelay(attempt, null, backoff(0)))).toEqual([
      250, 500, 1_000, 2_000, 2_000,
    ]);
    expect([0, 1, 9].map((attempt) => retryDelay(attempt, null, backoff(0.999)))).toEqual([500, 1_000, 3_998]);
  });

  it('TRN-6: obeys the provider, unless it asks for too much patience', () => {
    expect(retryDelay(5, 1_234, backoff(0.5))).toBe(1_234);
    expect(retryDelay(0, 60_001, backoff(0.5))).toBeNull();
  });
});

describe('readRetryAfter', () => {
  const now = Date.parse('2026-11-15T10:00:00Z');
  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '120.2', 'retry-after': '9' }, 121],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:07 GMT' }, 7_000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('TRN-6: reads %j', (headers, expected) => {
    expect(readRetryAfter(new Headers(headers), now)).toBe(expected);
  });
});

describe('mayRetry', () => {
  it('TRN-6: a provider that forbids another attempt is obeyed', () => {
    expect(mayRetry(new Headers({ 'x-should-retry': 'false' }))).toBe(false);
    expect(mayRetry(new Headers())).toBe(true);
  });
});
