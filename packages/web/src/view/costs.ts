import type { CostRow } from '@bough/api/client';

export interface CostGroup {
  readonly key: string;
  /** Null for a project that is gone. */
  readonly name: string | null;
  readonly provider: string | null;
  readonly calls: number;
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
  readonly reasoning: number;
  /** Null if no call has a known cost. */
  readonly cost: number | null;
  /** Calls that are not in `cost`. */
  readonly unknown: number;
}

/** The rows summed up by what they are looked at; unknown costs stay apart. What cost most comes first. */
export function groupedCosts(rows: readonly CostRow[], by: 'model' | 'project' | 'day'): readonly CostGroup[] {
  const groups = new Map<string, CostGroup>();
  for (const row of rows) {
    const key = by === 'model' ? `${row.provider} ${row.model}` : by === 'project' ? row.projectId : row.day;
    const before = groups.get(key ?? '');
    groups.set(key ?? '', {
      key: key ?? '',
      name: by === 'model' ? row.model : by === 'project' ? row.projectName : row.day,
      provider: by === 'model' ? row.provider : null,
      calls: (before?.calls ?? 0) + row.calls,
      fresh: (before?.fresh ?? 0) + Math.max(0, row.inputTokens - row.cachedInputTokens - row.cacheWriteTokens),
      read: (before?.read ?? 0) + row.cachedInputTokens,
      written: (before?.written ?? 0) + row.cacheWriteTokens,
      output: (before?.output ?? 0) + row.outputTokens,
      reasoning: (before?.reasoning ?? 0) + row.reasoningTokens,
      cost: row.cost === null ? (before?.cost ?? null) : (before?.cost ?? 0) + row.cost,
      unknown: (before?.unknown ?? 0) + row.unpriced + row.uncounted,
    });
  }
  const found = [...groups.values()];
  if (by === 'day') return found.toSorted((a, b) => (a.key < b.key ? 1 : -1));
  return found.toSorted((a, b) => (b.cost ?? -1) - (a.cost ?? -1));
}

/** All groups together; what is not known stays apart. */
export function sumOf(groups: readonly CostGroup[]): CostGroup {
  const sum = (pick: (group: CostGroup) => number): number => groups.reduce((total, group) => total + pick(group), 0);
  return {
    key: '',
    name: null,
    provider: null,
    calls: sum(({ calls }) => calls),
    fresh: sum(({ fresh }) => fresh),
    read: sum(({ read }) => read),
    written: sum(({ written }) => written),
    output: sum(({ output }) => output),
    reasoning: sum(({ reasoning }) => reasoning),
    cost: groups.every(({ cost }) => cost === null) ? null : sum(({ cost }) => cost ?? 0),
    unknown: sum(({ unknown }) => unknown),
  };
}

/** What each day cost, the oldest first; days without calls between them cost nothing. */
export function dailyCosts(
  rows: readonly CostRow[],
): readonly { readonly day: string; readonly cost: number; readonly isPartial: boolean }[] {
  const days = groupedCosts(rows, 'day').toReversed();
  const [first, last] = [days[0]?.key, days.at(-1)?.key];
  if (first === undefined || last === undefined) return [];
  const byDay = new Map(days.map((day) => [day.key, day]));
  const all: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last) && all.length < MOST_DAYS; at += DAY_MS)
    all.push(new Date(at).toISOString().slice(0, 10));
  return all.map((day) => {
    const found = byDay.get(day);
    return { day, cost: found?.cost ?? 0, isPartial: (found?.unknown ?? 0) > 0 };
  });
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 3_660;
