import { estimateTokens } from '@bough/core';
import type { Environment } from '../environment.ts';
import type { Estimate } from '../preview/estimate.ts';
import { estimateOf } from '../preview/estimate.ts';
import type { RoundTarget } from './round.ts';

/** How long an answer is taken to be before the target has given one. */
const LIKELY_TOKENS = 1_000;
/** What a protocol puts around a question. */
const AROUND_TOKENS = 16;

/** What one answer may cost, in US dollars; null where no price is known. */
export interface AnswerPrice {
  readonly input: number | null;
  readonly likely: number | null;
  readonly most: number | null;
}

/** By the text alone: a question stands at the root, and nothing comes before it but the system prompt. */
export function priceOf(
  env: Environment,
  { provider: id, model, requested }: RoundTarget,
  { question, systemPrompt, maxTokens }: PricedQuestion,
): AnswerPrice {
  const provider = env.providers.get(id);
  const info = provider.modelInfo(model);
  const system = requested.systemPrompt ?? systemPrompt ?? '';
  const estimated = (most: number): Estimate =>
    estimateOf({
      estimatedTokens: estimateTokens(system) + estimateTokens(question) + AROUND_TOKENS,
      maxTokens: most,
      repeated: null,
      deployment: provider.deployment,
      model: info,
      now: env.now(),
    });
  const most = Math.min(maxTokens ?? requested.maxTokens ?? info.maxOutputTokens, info.maxOutputTokens);
  const { inputCost, mostCost } = estimated(most);
  return { input: inputCost, likely: estimated(Math.min(most, LIKELY_TOKENS)).mostCost, most: mostCost };
}

export interface PricedQuestion {
  readonly question: string;
  readonly systemPrompt: string | null;
  readonly maxTokens: number | null;
}

/**
 * What is set aside for an answer before it is asked for. With a limit on its length, the most that it can cost, so
 * that the limit on money holds. Without one that would be several dollars for a word: what such answers cost so far.
 */
export function expectedCost(
  { likely, most }: AnswerPrice,
  maxTokens: number | null,
  earlier: { readonly count: number; readonly sum: number },
): number {
  if (maxTokens !== null) return most ?? 0;
  return earlier.count === 0 ? (likely ?? 0) : earlier.sum / earlier.count;
}
