import type { CacheTold, OtherUsage, Usage } from '@bough/core';
import { isPlainObject } from '@bough/core';

/** The provider's own counters, merged: later events repeat only those that changed. */
export type Counters = Readonly<Record<string, unknown>>;

export function mergeCounters(before: Counters, usage: unknown): Counters {
  if (!isPlainObject(usage)) return before;
  const merged: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(usage)) if (value !== null && value !== undefined) merged[key] = value;
  return merged;
}

/** What each pass over the prompt used. Summaries and advisors are missing in the counters of the reply itself. */
function passesOf({ iterations }: Counters): readonly Counters[] {
  const list: readonly unknown[] = Array.isArray(iterations) ? iterations : [];
  return list.filter(isPlainObject);
}

const COUNTED = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'];

/** The counters of a reply with those of all its passes, if it lists them. */
function summed(counters: Counters): Counters {
  const passes = passesOf(counters);
  if (passes.length === 0) return counters;
  const sums = COUNTED.flatMap((key) => {
    const counts = passes.flatMap((pass) => count(pass[key]) ?? []);
    return counts.length === 0 ? [] : [[key, counts.reduce((sum, next) => sum + next, 0)] as const];
  });
  return { ...counters, ...Object.fromEntries(sums) };
}

/**
 * The provider counts uncached, cached and newly cached input separately; the neutral total is their sum, over all
 * passes.
 */
export function usageOf(reported: Counters): Usage {
  const counters = summed(reported);
  const uncached = count(counters['input_tokens']);
  const cached = count(counters['cache_read_input_tokens']);
  const written = count(counters['cache_creation_input_tokens']);
  const output = count(counters['output_tokens']);
  const details = counters['output_tokens_details'];
  const reasoning = isPlainObject(details) ? count(details['thinking_tokens']) : undefined;
  const long = longWritten(reported);
  const others = othersIn(reported);
  const usage: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  if (uncached !== undefined) usage.inputTokens = uncached + (cached ?? 0) + (written ?? 0);
  if (cached !== undefined) usage.cachedInputTokens = cached;
  if (written !== undefined) usage.cacheWriteTokens = written;
  if (output !== undefined) usage.outputTokens = output;
  if (reasoning !== undefined) usage.reasoningTokens = reasoning;
  if (long > 0) usage.longCacheWriteTokens = long;
  if (others.length > 0) usage.others = others;
  return usage;
}

/** What stays for an hour costs more to write. */
function longWritten(reported: Counters): number {
  const passes = passesOf(reported);
  return (passes.length === 0 ? [reported] : passes).reduce((sum, { cache_creation: written }) => {
    return sum + (isPlainObject(written) ? (count(written['ephemeral_1h_input_tokens']) ?? 0) : 0);
  }, 0);
}

/** Passes of models that the provider asked beside the one that was called: each says which. */
function othersIn(reported: Counters): readonly OtherUsage[] {
  return passesOf(reported).flatMap((pass) => {
    if (typeof pass['model'] !== 'string' || pass['type'] === 'message' || pass['type'] === 'compaction') return [];
    const { others: _, ...counts } = usageOf(pass);
    return [{ model: pass['model'], ...counts }];
  });
}

/** What `diagnostics` says: only whoever asked gets an answer. */
export function cacheToldIn(message: Counters): CacheTold | null {
  const { diagnostics } = message;
  if (diagnostics === undefined) return null;
  const reason = isPlainObject(diagnostics) ? diagnostics['cache_miss_reason'] : undefined;
  if (diagnostics === null) return { type: 'same' };
  if (!isPlainObject(reason) || typeof reason['type'] !== 'string') return { type: 'unknown', reason: 'comparing' };
  const { type, cache_missed_input_tokens: missed } = reason;
  if (!type.endsWith('_changed')) return { type: 'unknown', reason: type };
  const missedTokens = count(missed);
  return { type: 'differs', reason: type, ...(missedTokens !== undefined && { missedTokens }) };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
