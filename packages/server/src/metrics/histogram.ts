import type { Labels } from './labels.ts';
import { labelText } from './labels.ts';

export interface Histogram {
  readonly observe: (labels: Labels, value: number) => void;
  /** In Prometheus's text form; empty before the first value. */
  readonly lines: () => readonly string[];
}

interface Series {
  /** How many values were in each bucket and in none before it; the last one is for all that is larger. */
  readonly counts: number[];
  sum: number;
}

/** `bounds` are the upper ends of the buckets, in order. */
export function createHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const all = new Map<string, Series>();
  return {
    observe: (labels, value) => {
      const key = labelText(labels);
      const series = all.get(key) ?? { counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
      all.set(key, series);
      const found = bounds.findIndex((bound) => value <= bound);
      const bucket = found < 0 ? bounds.length : found;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sum += value;
    },
    lines: () =>
      all.size === 0
        ? []
        : [
            `# HELP ${name} ${help}`,
            `# TYPE ${name} histogram`,
            ...[...all].flatMap(([labels, series]) => seriesLines(name, labels, bounds, series)),
          ],
  };
}

function seriesLines(name: string, labels: string, bounds: readonly number[], { counts, sum }: Series): string[] {
  const before = labels === '' ? '' : `${labels},`;
  const after = labels === '' ? '' : `{${labels}}`;
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${name}_bucket{${before}le="${bounds[index] ?? '+Inf'}"} ${total}`;
  });
  return [...buckets, `${name}_sum${after} ${sum}`, `${name}_count${after} ${total}`];
}
