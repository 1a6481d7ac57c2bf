import { setTimeout as sleep } from 'node:timers/promises';
import type { Lane } from './lane.ts';
import type { Random } from './random.ts';

/** No round waits longer for its moment: a turn may be silent for a long time. */
const LONGEST_MS = 12_000;

/** Waits for the moment to strike: some time, some lines, or a tool result among tools that still run. */
export async function someMoment(lane: Lane, random: Random): Promise<void> {
  const kind = random.pick(['time', 'lines', 'results'] as const);
  if (kind === 'time') return sleep(random.between(30, 2_500));
  const enough = kind === 'lines' ? random.between(3, 400) : random.between(1, 6);
  let seen = 0;
  const reached = new Promise<void>((resolve) => {
    lane.onLine((line) => {
      if (kind === 'lines' || line.type === 'tool_result') seen += 1;
      if (seen >= enough) resolve();
    });
  });
  await Promise.race([reached, sleep(LONGEST_MS)]);
  lane.onLine(null);
  // Often at once, sometimes just after: between the line and what is stored behind it.
  if (random.chance(0.5)) await sleep(random.below(150));
}
