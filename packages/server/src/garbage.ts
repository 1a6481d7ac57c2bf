import { isPlainObject } from '@bough/core';
import type { PerformanceEntry } from 'node:perf_hooks';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** How much a heap may grow beyond its live data, in percent, before it is swept. */
const GROWTH = 50;
/**
 * What a small heap may grow by in any case. A sweep of the 50 MB of a server that has begun to work takes 40 ms of
 * processor time. With 48 MB it came after every eleventh reply of 2,000 events; with 96 these cost a tenth less.
 */
const LEAST_GROWTH = 96 * 1024 * 1024;
/** As much as any heap may grow by, in percent: right after a start there is hardly anything in it. */
const MOST_GROWTH = 300;

/** By how many percent a heap with so much live data may grow. */
export function growthOf(live: number): number {
  return Math.min(MOST_GROWTH, Math.max(GROWTH, Math.round((LEAST_GROWTH / live) * 100)));
}

/**
 * V8 sweeps a heap of a few hundred megabytes only when it has grown to about four times its live data. Sixty-four long
 * replies at once have 220 MB of live data, and took 930 MB; with this they take 520 MB, at the price of a
 * ten-millisecond sweep every four seconds. This is not a limit: the heap still grows as needed. For a standalone
 * program, not for one that uses Bough as a library.
 */
export function sweepSooner(): void {
  grow();
  // What is left after a sweep is live: the next one is due by that.
  const observer = new PerformanceObserver((sweeps) => {
    if (sweeps.getEntries().some(isWhole)) grow();
  });
  observer.observe({ entryTypes: ['gc'] });
}

function grow(): void {
  setFlagsFromString(`--heap-growing-percent=${growthOf(getHeapStatistics().used_heap_size)}`);
}

/** Whether it was not only the newest part of the heap. */
function isWhole(sweep: PerformanceEntry): boolean {
  const detail: unknown = 'detail' in sweep ? sweep.detail : null;
  return isPlainObject(detail) && detail['kind'] === constants.NODE_PERFORMANCE_GC_MAJOR;
}
