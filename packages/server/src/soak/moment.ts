import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamLine } from '@bough/core';
import type { Lane } from './lane.ts';
import type { Random } from './random.ts';

/** The longest that a round waits for its moment: a turn may be silent for a long time. */
const LONGEST_MS = 12_000;

/** Waits for the moment to strike: some time, some lines, or a tool result among tools that still run. */
export async function someMoment(lane: Lane, random: Random): Promise<void> {
  const kind = random.pick(['time', 'lines', 'results'] as const);
  if (kind === 'time') return sleep(random.between(30, 2_500));
  const enough = kind === 'lines' ? random.between(3, 400) : random.between(1, 6);
  await untilLines(lane, (line) => kind === 'lines' || line.type === 'tool_result', enough, LONGEST_MS);
  // Often at once, sometimes just after: between the line and what is stored after it.
  if (random.chance(0.5)) await sleep(random.below(150));
}

/** Waits until this many of these lines have been seen, or the time is up. */
export async function untilLines(
  lane: Lane,
  isMeant: (line: StreamLine) => boolean,
  enough: number,
  longestMs: number,
): Promise<void> {
  let seen = 0;
  const late = new AbortController();
  const reached = new Promise<void>((resolve) => {
    lane.onLine((line) => {
      if (isMeant(line)) seen += 1;
      if (seen >= enough) resolve();
    });
  });
  await Promise.race([reached, sleep(longestMs, undefined, { signal: late.signal })]);
  late.abort();
  lane.onLine(null);
}
