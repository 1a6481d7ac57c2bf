import type { Usage } from '@bough/core';
import type { Price } from './model.ts';

const PER_MILLION = 1_000_000;

/**
 * The cost of a call in US dollars. Null if it cannot be known: no price, or a provider that did not count. Null is not
 * zero, and a sum over calls must not treat it as zero.
 */
export function costOf(usage: Usage | null, price: Price | undefined): number | null {
  if (price === undefined || usage?.inputTokens === undefined || usage.outputTokens === undefined) return null;
  const cached = usage.cachedInputTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  // Cached tokens are part of the input. A provider that counts them separately must not make the rest negative.
  const fresh = Math.max(0, usage.inputTokens - cached - written);
  return (
    (fresh * price.input +
      cached * (price.cachedInput ?? price.input) +
      written * (price.cacheWrite ?? price.input) +
      usage.outputTokens * price.output) /
    PER_MILLION
  );
}
