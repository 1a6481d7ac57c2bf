import { isPlainObject } from '../blocks/plain-object.ts';

/** Tokens of one call, in one form for every provider. A count that the provider did not give is absent, not zero. */
export interface Usage {
  /** Everything that was sent, cached tokens included. */
  readonly inputTokens?: number;
  /** The part of the input that was read from a cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input that was written to a cache. */
  readonly cacheWriteTokens?: number;
  /** The part of `cacheWriteTokens` that is kept for an hour, where that costs more. */
  readonly longCacheWriteTokens?: number;
  /** Everything that was generated, reasoning included. */
  readonly outputTokens?: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number;
  /** The part of all that which other models used, because the provider asked them: each has its own price. */
  readonly others?: readonly OtherUsage[];
  /** What the provider itself says about its cache, where it was asked. */
  readonly cacheTold?: CacheTold;
}

export type TokenCount =
  | 'inputTokens'
  | 'cachedInputTokens'
  | 'cacheWriteTokens'
  | 'longCacheWriteTokens'
  | 'outputTokens'
  | 'reasoningTokens';

export interface OtherUsage extends Pick<Usage, TokenCount> {
  readonly model: string;
}

/** `same`: nothing differs from the request that it was compared with. `unknown`: the provider could not compare. */
export type CacheTold =
  | { readonly type: 'same' }
  | { readonly type: 'differs'; readonly reason: string; readonly missedTokens?: number }
  | { readonly type: 'unknown'; readonly reason: string };

/** What is stored for a call: the provider's counts, and what was measured here. */
export interface CallUsage extends Usage {
  /** From the first to the last piece of reasoning, in milliseconds, as it arrived. Absent if none was shown. */
  readonly reasoningMs?: number;
  /**
   * How much of the request Bough had sent to this model before, in the same place: what a cache can have. Counted by
   * the provider where it was the whole request before, else estimated. Absent where nothing of it was sent before.
   */
  readonly expectedCachedTokens?: number;
  /** How old that was when this call began, in milliseconds. */
  readonly expectedAgeMs?: number;
}

/** Whether a stored value is what a call used. A count of a later version is a number as well. */
export function isCallUsage(value: unknown): value is CallUsage {
  if (!isPlainObject(value)) return false;
  const { others, cacheTold, ...counts } = value;
  return (
    Object.values(counts).every(isNumber) &&
    (others === undefined || (Array.isArray(others) && others.every(isOtherUsage))) &&
    (cacheTold === undefined || isCacheTold(cacheTold))
  );
}

function isOtherUsage(value: unknown): value is OtherUsage {
  if (!isPlainObject(value)) return false;
  const { model, ...counts } = value;
  return typeof model === 'string' && Object.values(counts).every(isNumber);
}

function isCacheTold(value: unknown): value is CacheTold {
  if (!isPlainObject(value)) return false;
  const { type, reason, missedTokens } = value;
  if (type === 'same') return true;
  return (
    (type === 'differs' || type === 'unknown') &&
    typeof reason === 'string' &&
    (missedTokens === undefined || isNumber(missedTokens))
  );
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Later numbers replace earlier ones: providers report running totals. */
export function mergeUsage(before: Usage | null, after: Usage): Usage {
  return { ...before, ...after };
}

const COUNTS: readonly TokenCount[] = [
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'longCacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
];

/** The sum over several calls. A count is absent only if no call gave it. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = { ...a, ...b };
  for (const key of COUNTS) if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0);
  if (a.others !== undefined && b.others !== undefined) sum.others = [...a.others, ...b.others];
  return sum;
}
