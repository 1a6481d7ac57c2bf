import type { Lock } from '@bough/core';
import type { Environment } from '../environment.ts';
import { estimateOf } from '../preview/estimate.ts';

interface SummaryTokens {
  readonly requestTokens: number;
  /** How much of the request the provider's cache has. */
  readonly cachedTokens: number;
  readonly summaryTokens: number;
}

/** What writing a summary costs. What is not in the cache is written to it, where that has a price of its own. */
export function summaryCost(
  env: Environment,
  { provider, model }: Lock,
  { requestTokens, cachedTokens, summaryTokens }: SummaryTokens,
): number | null {
  const { deployment, modelInfo } = env.providers.get(provider);
  const now = env.now();
  return estimateOf({
    estimatedTokens: requestTokens,
    maxTokens: summaryTokens,
    repeated: { tokens: cachedTokens, estimatedTokens: cachedTokens, call: null, at: now.toISOString() },
    deployment,
    model: modelInfo(model),
    now,
  }).mostCost;
}
