import type { Call } from '@bough/core';
import type { Statistics } from './store.ts';

type Group = Statistics['cache'][number];
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Less than this, and less than a tenth of what was expected, is no finding: providers cache in steps. */
export const SMALLEST_MISS = 256;
/** Every provider keeps a prompt for as long as this; whether it does so longer is its own affair. */
export const SURELY_KEPT_MS = 5 * 60_000;

/** How much less a provider read from its cache than Bough had sent it before; null where it is no finding. */
export function missedBy({ usage }: Pick<Call, 'usage'>): { readonly tokens: number; readonly reason: string } | null {
  const { expectedCachedTokens: expected, cachedInputTokens: read, expectedAgeMs: age, cacheTold: told } = usage ?? {};
  if (expected === undefined || read === undefined) return null;
  const tokens = expected - read;
  if (tokens < SMALLEST_MISS || tokens * 10 < expected) return null;
  if (told?.type === 'differs') return { tokens, reason: told.reason };
  return { tokens, reason: age !== undefined && age >= SURELY_KEPT_MS ? 'expired' : 'unexplained' };
}

/** Counts the calls whose cache gave less than expected; for stores that have them one by one. */
export function tallyCache(): { readonly add: (call: Call) => void; readonly result: () => Pick<Statistics, 'cache'> } {
  const groups = new Map<string, Mutable<Group>>();
  return {
    add: (call) => {
      const missed = missedBy(call);
      if (missed === null) return;
      const { provider, model } = call;
      const key = JSON.stringify([provider, model, missed.reason]);
      const group = groups.get(key) ?? { provider, model, reason: missed.reason, count: 0, missedTokens: 0 };
      group.count += 1;
      group.missedTokens += missed.tokens;
      groups.set(key, group);
    },
    result: () => ({ cache: [...groups.values()] }),
  };
}
