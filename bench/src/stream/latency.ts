import { judge, type Result } from '../frame/contest.ts';
import { quantile } from '../frame/spread.ts';
import type { Settings } from '../frame/suite.ts';
import type { ClientProgram } from './client.ts';
import { type Contestant, FLOOR } from './contestants.ts';
import { checkReceived } from './check.ts';

export interface Paced {
  readonly streams: number;
  readonly deltas: number;
  readonly everyMs: number;
  readonly rounds: number;
}

/** From the provider writing a delta to the client reading it. */
export async function holdLatency(
  contestants: readonly Contestant[],
  client: ClientProgram,
  { streams, deltas, everyMs, rounds }: Paced,
  settings: Settings,
): Promise<readonly Result[]> {
  const p50 = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  const p99 = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const at of contestants.keys()) {
      const contestant = contestants[(at + round + 1) % contestants.length];
      if (contestant === undefined) continue;
      await client.receive(await contestant.prepare(`deltas ${deltas} every ${everyMs} ms`, streams));
      const received = await client.read(contestant.dialect);
      checkReceived(contestant.name, received, streams);
      const delays = received.flatMap((stream) => stream.delays).sort((a, b) => a - b);
      if (delays.length !== streams * deltas) throw new Error(`${contestant.name}: ${delays.length} deltas arrived.`);
      if (round < 0) continue;
      p50.get(contestant.name)?.push(quantile(delays, 0.5));
      p99.get(contestant.name)?.push(quantile(delays, 0.99));
    }
    settings.progress(`latency, ${streams} streams, round ${round + 1} of ${rounds}`);
  }
  const contest = {
    work: 'latency',
    unit: 'ms',
    rounds,
    contestants: contestants.map(({ name, role }) => ({ name, role, run: () => Number.NaN })),
  };
  const size = `${streams} ${streams === 1 ? 'stream' : 'streams'}`;
  return [
    judge({ ...contest, size: `${size}, p50` }, p50),
    judge({ ...contest, size: `${size}, p99`, goals: [{ atMost: 10, above: FLOOR }] }, p99),
  ];
}
