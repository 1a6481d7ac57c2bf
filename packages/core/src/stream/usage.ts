/** Tokens of one call, in one form for every provider. A count that the provider did not give is absent, not zero. */
export interface Usage {
  /** Everything that was sent, cached tokens included. */
  readonly inputTokens?: number;
  /** The part of the input that was read from a cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input that was written to a cache. */
  readonly cacheWriteTokens?: number;
  /** Everything that was generated, reasoning included. */
  readonly outputTokens?: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number;
}

/** What is stored for a call: the provider's counts, and what was measured here. */
export interface CallUsage extends Usage {
  /** From the first to the last piece of reasoning, in milliseconds, as it arrived. Absent if none was shown. */
  readonly reasoningMs?: number;
}

/** Later numbers replace earlier ones: providers report running totals. */
export function mergeUsage(before: Usage | null, after: Usage): Usage {
  return { ...before, ...after };
}

/** The sum over several calls. A count is absent only if no call gave it. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = { ...a };
  for (const key of Object.keys(b) as (keyof Usage)[]) {
    const value = b[key];
    if (value !== undefined) sum[key] = (sum[key] ?? 0) + value;
  }
  return sum;
}
