import type { OtherUsage, TokenCount, Usage } from '@bough/core';
import type { Price } from './model.ts';
import { priceByName } from './prices.ts';

const PER_MILLION = 1_000_000;

type Counts = Pick<Usage, TokenCount>;

/** What a call costs, part by part, in US dollars. The parts add up to `total`. */
export interface CostParts {
  /** Input that no cache had. */
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  /** Everything that was generated, without reasoning where that is counted. */
  readonly answer: number;
  readonly reasoning: number;
  /** What other models cost that the provider asked. */
  readonly others: number;
  readonly total: number;
}

/**
 * The cost of a call in US dollars. Null if it cannot be known: no price, or a provider that did not count. Null is not
 * zero, and a sum over calls must not treat it as zero.
 */
export function costOf(usage: Usage | null, price: Price | undefined): number | null {
  return costParts(usage, price)?.total ?? null;
}

export function costParts(usage: Usage | null, price: Price | undefined): CostParts | null {
  if (price === undefined || usage?.inputTokens === undefined || usage.outputTokens === undefined) return null;
  const { others = [] } = usage;
  const foreign = others.map((other) => costOf(other, priceByName(other.model)));
  if (foreign.includes(null)) return null;
  const own = (key: TokenCount): number => Math.max(0, (usage[key] ?? 0) - sum(others.map((other) => other[key] ?? 0)));
  const [cached, written, long] = [own('cachedInputTokens'), own('cacheWriteTokens'), own('longCacheWriteTokens')];
  // Cached tokens are part of the input. A provider that counts them separately must not make the rest negative.
  const fresh = Math.max(0, own('inputTokens') - cached - written);
  const short = Math.max(0, written - long);
  const writing = price.cacheWrite ?? price.input;
  const reasoning = Math.min(own('reasoningTokens'), own('outputTokens'));
  const parts = {
    fresh: (fresh * price.input) / PER_MILLION,
    read: (cached * (price.cachedInput ?? price.input)) / PER_MILLION,
    written: (short * writing + (written - short) * (price.longCacheWrite ?? writing)) / PER_MILLION,
    answer: ((own('outputTokens') - reasoning) * price.output) / PER_MILLION,
    reasoning: (reasoning * price.output) / PER_MILLION,
    others: sum(foreign.map((cost) => cost ?? 0)),
  };
  return { ...parts, total: sum(Object.values(parts)) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** What reading from a cache saved, and what writing to it cost more than plain input; null without a price. */
export function savedByCache(usage: Counts | null, price: Price | undefined): number | null {
  const paid = costOf(usage, price);
  if (paid === null || usage === null) return null;
  const { cachedInputTokens: _, cacheWriteTokens: __, longCacheWriteTokens: ___, ...rest } = usage;
  const full = costOf(rest, price);
  return full === null ? null : full - paid;
}

export type { OtherUsage };
