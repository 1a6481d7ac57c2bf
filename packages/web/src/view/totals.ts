import type { CallView } from '@bough/api/client';

export interface Totals {
  readonly inputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
  /** Null if the price of any call is unknown: a sum that leaves some out would be wrong. */
  readonly cost: number | null;
  readonly durationMs: number;
}

/** What several calls used together. A number that no call reported is null, not zero. */
export function totalsOf(calls: readonly CallView[]): Totals {
  const sum = (pick: (usage: NonNullable<CallView['usage']>) => number | undefined): number | null => {
    const values = calls
      .flatMap(({ usage }) => (usage === null ? [] : [pick(usage)]))
      .filter((value) => value !== undefined);
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  };
  const costs = calls.map((call) => call.cost).filter((cost) => cost !== null);
  return {
    inputTokens: sum((usage) => usage.inputTokens),
    cachedInputTokens: sum((usage) => usage.cachedInputTokens),
    outputTokens: sum((usage) => usage.outputTokens),
    reasoningTokens: sum((usage) => usage.reasoningTokens),
    cost: costs.length < calls.length || calls.length === 0 ? null : costs.reduce((total, cost) => total + cost, 0),
    durationMs: calls.reduce((total, call) => total + durationOf(call), 0),
  };
}

export function durationOf({ startedAt, endedAt }: Pick<CallView, 'startedAt' | 'endedAt'>): number {
  return endedAt === null ? 0 : Date.parse(endedAt) - Date.parse(startedAt);
}
