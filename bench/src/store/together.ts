import type { Contest, Result } from '../frame/contest.ts';
import { growth, judge } from '../frame/contest.ts';

/** From the smallest project to the largest. */
const INDEPENDENT_OF_SIZE = 1.2;
/** Round by round in projects of every size: growth in a figure must not come from what the machine did meanwhile. */
export async function holdTogether(contests: readonly Contest[]): Promise<readonly Result[]> {
  const samples = contests.map(() => new Map<string, number[]>());
  const rounds = contests[0]?.rounds ?? 0;
  for (let round = -1; round < rounds; round += 1) {
    for (const [at, { contestants }] of contests.entries()) {
      for (const contestant of rotated(contestants, Math.max(round, 0))) {
        globalThis.gc?.();
        const value = await contestant.run();
        const { name } = contestant;
        if (round >= 0) samples[at]?.set(name, [...(samples[at]?.get(name) ?? []), value]);
      }
    }
  }
  return contests.map((contest, at) => judge(contest, samples[at] ?? new Map()));
}

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

/**
 * Cost must not grow with the project, and neither may the bytes per node; the cost of a path depends on its length.
 */
export function withGrowth(results: readonly Result[]): readonly Result[] {
  return results.map((result) => {
    if (result.work === 'store: path') return result;
    const ofWork = results.filter(({ work }) => work === result.work);
    // The bytes of a few nodes are mostly partly filled pages.
    const small = result.work === 'store: bytes' ? ofWork.at(-2) : ofWork[0];
    if (small === undefined || result !== ofWork.at(-1) || result === small) return result;
    return { ...result, verdicts: [...result.verdicts, growth(small, result, INDEPENDENT_OF_SIZE)] };
  });
}
