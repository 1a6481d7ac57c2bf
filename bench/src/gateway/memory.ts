import type { Result } from '../frame/contest.ts';
import type { Settings } from '../frame/suite.ts';
import { residentMegabytes } from '../stream/processes.ts';
import type { Client } from './client.ts';
import type { Contestant } from './contestants.ts';
import { judgeDefault, Samples, sizeText } from './rounds.ts';

export const MEMORY = 'gateway: memory';

export interface Open {
  readonly bytes: number;
  readonly streams: number;
  readonly deltas: number;
}

/**
 * How much more the process holds at most while these sessions begin and then stream all at once, garbage included,
 * than after a few short requests: for each of them. The contestants are new ones: what a process once held it does not
 * give back.
 */
export async function holdMemory(
  contestants: readonly Contestant[],
  client: Client,
  { bytes, streams, deltas }: Open,
  settings: Settings,
): Promise<readonly Result[]> {
  const samples = new Samples();
  for (const contestant of contestants) {
    const { name, pid } = contestant;
    await client.say(contestant, await client.open(4, 5_000), { deltas: 20, everyMs: 0 }, 5);
    const before = residentMegabytes(pid);
    const talks = await client.open(streams, bytes);
    let most = before;
    const watching = setInterval(() => (most = Math.max(most, residentMegabytes(pid))), 50);
    try {
      await client.begin(contestant, talks, { deltas: 2, everyMs: 0 });
      await client.say(contestant, talks, { deltas, everyMs: 50 });
    } finally {
      clearInterval(watching);
    }
    await client.close();
    samples.add('held', name, (most - before) / streams);
  }
  const size = `${sizeText(bytes)}, ${streams} streams, each`;
  settings.progress(size);
  return [judgeDefault({ work: MEMORY, size, unit: 'MB', rounds: 1 }, contestants, samples.of('held'))];
}
