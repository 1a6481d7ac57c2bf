import type { Usage } from '@bough/core';
import { isPlainObject } from '@bough/core';

/** The provider's own counters, merged: later events repeat only the ones that changed. */
export type Counters = Readonly<Record<string, unknown>>;

export function mergeCounters(before: Counters, usage: unknown): Counters {
  if (!isPlainObject(usage)) return before;
  const known = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(known) };
}

/** The provider counts uncached, cached and newly cached input apart; the neutral total is their sum. */
export function usageOf(counters: Counters): Usage {
  const uncached = count(counters['input_tokens']);
  const cached = count(counters['cache_read_input_tokens']);
  const written = count(counters['cache_creation_input_tokens']);
  const output = count(counters['output_tokens']);
  const details = counters['output_tokens_details'];
  const reasoning = isPlainObject(details) ? count(details['thinking_tokens']) : undefined;
  return {
    ...(uncached !== undefined && { inputTokens: uncached + (cached ?? 0) + (written ?? 0) }),
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(output !== undefined && { outputTokens: output }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
