import type { DiagnosticsView } from '@bough/api/client';

export const AVAILABILITIES = ['full', 'summary', 'partial', 'redacted', 'none'] as const;
export type AvailabilityName = (typeof AVAILABILITIES)[number];

export interface AvailabilityRow {
  readonly provider: string;
  readonly model: string;
  readonly counts: Readonly<Record<AvailabilityName, number>>;
  readonly total: number;
}

/** One row per model, the most used first. */
export function availabilityRows(availability: DiagnosticsView['availability']): readonly AvailabilityRow[] {
  const rows = new Map<string, AvailabilityRow>();
  for (const { provider, model, availability: name, count } of availability) {
    const key = `${provider} ${model}`;
    const before = rows.get(key) ?? {
      provider,
      model,
      counts: { full: 0, summary: 0, partial: 0, redacted: 0, none: 0 },
      total: 0,
    };
    const known = AVAILABILITIES.find((each) => each === name) ?? 'none';
    rows.set(key, {
      ...before,
      counts: { ...before.counts, [known]: before.counts[known] + count },
      total: before.total + count,
    });
  }
  return [...rows.values()].sort((a, b) => b.total - a.total);
}

type CallRow = DiagnosticsView['calls'][number];

/** All calls together. The cost is null if any is unknown. */
export function callTotals(
  calls: readonly CallRow[],
): Pick<CallRow, 'count' | 'inputTokens' | 'outputTokens' | 'reasoningTokens' | 'cost'> {
  const sum = (pick: (call: CallRow) => number): number => calls.reduce((total, call) => total + pick(call), 0);
  return {
    count: sum((call) => call.count),
    inputTokens: sum((call) => call.inputTokens),
    outputTokens: sum((call) => call.outputTokens),
    reasoningTokens: sum((call) => call.reasoningTokens),
    cost: calls.some((call) => call.cost === null) ? null : sum((call) => call.cost ?? 0),
  };
}
