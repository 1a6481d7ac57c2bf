import { planReply } from '@bough/simulator';
import { createHash } from 'node:crypto';
import { judge, type Result } from '../frame/contest.ts';
import type { Settings } from '../frame/suite.ts';
import { checkReceived } from './check.ts';
import type { ClientProgram } from './client.ts';
import type { Received } from './dialects.ts';
import { type Contestant, FLOOR, MODEL, PEER } from './contestants.ts';

/** The simulator cuts its words into pieces of this many characters: one delta each. */
const CHARACTERS = 24;

const promptFor = (deltas: number): string =>
  `/sim think 1 ${(deltas / 2) * CHARACTERS} /sim long ${(deltas / 2) * CHARACTERS}`;

/** What the simulator answers to the prompt, known without asking it. */
function expectedFor(prompt: string): Pick<Received, 'thinking' | 'text'> {
  const { parts } = planReply({
    model: MODEL,
    system: '',
    userText: prompt,
    toolResults: [],
    toolNames: [],
    toolsAllowed: false,
    thinking: true,
    turn: 0,
  });
  const digest = (kind: 'thinking' | 'text'): string => {
    const hash = createHash('sha256');
    for (const part of parts) if (part.type === kind) hash.update(part.text);
    return hash.digest('hex');
  };
  return { thinking: digest('thinking'), text: digest('text') };
}

export interface Throughput {
  readonly streams: number;
  /** In each stream, half of them thinking and half text. */
  readonly deltas: number;
  readonly rounds: number;
}

/** Processor time per delta, of the server alone and, in a second row, with its database. */
export async function holdThroughput(
  contestants: readonly Contestant[],
  client: ClientProgram,
  { streams, deltas, rounds }: Throughput,
  settings: Settings,
): Promise<readonly Result[]> {
  const server = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  const whole = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  // The first round is not counted: no contestant is warm yet.
  for (let round = -1; round < rounds; round += 1) {
    for (const at of contestants.keys()) {
      const contestant = contestants[(at + round + 1) % contestants.length];
      if (contestant === undefined) continue;
      const spent = await run(contestant, client, promptFor(deltas), streams);
      if (round < 0) continue;
      server.get(contestant.name)?.push(spent.server / (streams * deltas));
      whole.get(contestant.name)?.push((spent.server + spent.database) / (streams * deltas));
    }
    settings.progress(`${streams} × ${deltas}, round ${round + 1} of ${rounds}`);
  }
  const entrants = contestants.map(({ name, role }) => ({ name, role, run: () => Number.NaN }));
  const contest = { work: 'stream', unit: 'µs', rounds, contestants: entrants };
  const size = `${streams} × ${deltas.toLocaleString('en')}`;
  return [
    judge(
      {
        ...contest,
        size,
        goals: [
          { atMost: 1 / 8, times: PEER },
          { atMost: 4, times: FLOOR },
        ],
      },
      server,
    ),
    judge(
      { ...contest, size: `${size}, with PostgreSQL`, contestants: entrants.filter(({ name }) => name !== PEER) },
      whole,
    ),
  ];
}

export async function warmUp(contestants: readonly Contestant[], client: ClientProgram): Promise<void> {
  for (const contestant of contestants) await run(contestant, client, promptFor(20_000), 8);
}

async function run(
  contestant: Contestant,
  client: ClientProgram,
  prompt: string,
  streams: number,
): Promise<{ readonly server: number; readonly database: number }> {
  const expected = expectedFor(prompt);
  const requests = await contestant.prepare(prompt, streams);
  const before = contestant.cpu();
  await client.receive(requests);
  const after = contestant.cpu();
  checkReceived(contestant.name, await client.read(contestant.dialect), streams, expected);
  return { server: after.server - before.server, database: after.database - before.database };
}
