import type { Deployment, ModelInfo } from '@bough/providers';
import { cacheHabits, costParts } from '@bough/providers';
import type { Repetition } from '../assemble/repetition.ts';

/** What the next request will use and cost, before it is sent. Costs are null where the price is unknown. */
export interface Estimate {
  readonly inputTokens: number;
  /** Tokens that the provider's cache probably still has. */
  readonly cachedTokens: number;
  /** Tokens that will be written to the cache, at its price. */
  readonly writtenTokens: number;
  /** Tokens that are read at the plain price. */
  readonly freshTokens: number;
  readonly cachedCost: number | null;
  readonly writtenCost: number | null;
  readonly freshCost: number | null;
  /** All of the input. */
  readonly inputCost: number | null;
  /** A reply as long as the model's last one on this path; null where there is none. */
  readonly likeLast: { readonly outputTokens: number; readonly cost: number | null } | null;
  /** With a reply as long as it may be. */
  readonly mostCost: number | null;
  /** When the price was read, or where it comes from; null without one. */
  readonly priceAsOf: string | null;
}

interface Estimated {
  readonly estimatedTokens: number;
  readonly maxTokens: number;
  readonly repeated: Repetition | null;
  readonly deployment: Pick<Deployment, 'protocol' | 'quirks'>;
  readonly model: ModelInfo;
  readonly now: Date;
}

export function estimateOf({ estimatedTokens, maxTokens, repeated, deployment, model, now }: Estimated): Estimate {
  // What the provider counted replaces the estimate of the same part; only what is new is still estimated.
  const known = repeated ?? { tokens: 0, estimatedTokens: 0, call: null, at: null };
  const inputTokens = Math.max(known.tokens, estimatedTokens - known.estimatedTokens + known.tokens);
  const habits = cacheHabits(deployment, model);
  const age = known.at === null ? Infinity : now.getTime() - Date.parse(known.at);
  const isThere = habits !== null && known.tokens >= habits.leastTokens && age < habits.keptMs;
  const cachedTokens = isThere ? known.tokens : 0;
  const rest = inputTokens - cachedTokens;
  const isWritten = habits !== null && habits.writes && inputTokens >= habits.leastTokens;
  const [writtenTokens, freshTokens] = isWritten ? [rest, 0] : [0, rest];
  const costFor = (outputTokens: number) =>
    costParts(
      { inputTokens, cachedInputTokens: cachedTokens, cacheWriteTokens: writtenTokens, outputTokens },
      model.price,
    );
  const parts = costFor(0);
  const last = known.call?.usage?.outputTokens;
  return {
    inputTokens,
    cachedTokens,
    writtenTokens,
    freshTokens,
    cachedCost: parts?.read ?? null,
    writtenCost: parts?.written ?? null,
    freshCost: parts?.fresh ?? null,
    inputCost: parts?.total ?? null,
    likeLast: last === undefined ? null : { outputTokens: last, cost: costFor(last)?.total ?? null },
    mostCost: costFor(maxTokens)?.total ?? null,
    priceAsOf: model.price?.asOf ?? null,
  };
}
