import { judge, type Result } from '../frame/contest.ts';
import type { Settings } from '../frame/suite.ts';
import type { Client } from './client.ts';
import { type Contestant, FLOOR, RECORD, REPAIR } from './contestants.ts';
import { eachRound, Samples } from './rounds.ts';

export const SESSION = 'gateway: session';
const SHORT = { deltas: 4, everyMs: 0 } as const;
/** As many requests are measured around each one that is named. */
const WINDOW = 10;
const FIRST_BYTES = 2_000;

/**
 * A session grows by a question and a reply with every request. What a request costs late in it is compared with the
 * tenth request of another session whose first message was so long that it brings as many bytes.
 */
export async function holdSession(
  contestants: readonly Contestant[],
  client: Client,
  { named, rounds }: { readonly named: readonly number[]; readonly rounds: number },
  settings: Settings,
): Promise<readonly Result[]> {
  const samples = new Samples();
  const taking = contestants.filter(({ name }) => [REPAIR, RECORD, FLOOR].includes(name));
  await eachRound(taking, rounds, async (contestant, isCounted) => {
    const { name } = contestant;
    const talks = await client.open(1, FIRST_BYTES);
    let asked = 0;
    for (const number of named) {
      const until = number - WINDOW;
      if (until > asked) await client.say(contestant, talks, SHORT, until - asked);
      const { spent, bytes } = await cost(contestant, client, talks);
      asked = number;
      if (isCounted) samples.add(`at ${number}`, name, spent);
      const others = await client.open(1, Math.max(FIRST_BYTES, bytes - WINDOW * GROWTH));
      const { spent: alike } = await cost(contestant, client, others);
      if (isCounted) samples.add(`like ${number}`, name, alike);
    }
    await client.close();
  });
  settings.progress(`a session of ${named.at(-1)} requests: ${rounds} rounds`);
  return named.flatMap((number) =>
    [REPAIR, RECORD].map((mode) => {
      const at = samples.of(`at ${number}`);
      const like = samples.of(`like ${number}`).get(mode) ?? [];
      const control = '10th request of as many bytes';
      const isLast = number === named.at(-1);
      return judge(
        {
          work: SESSION,
          size: `${number.toLocaleString('en')}th request${mode === RECORD ? ', record only' : ''}`,
          unit: 'ms',
          rounds,
          contestants: [
            { name: mode, role: 'bough', run: () => Number.NaN },
            { name: control, role: 'peer', run: () => Number.NaN },
            { name: FLOOR, role: 'floor', run: () => Number.NaN },
          ],
          goals: isLast ? [{ atMost: 1.2, times: control }] : [],
        },
        new Map([...at, [control, like]]),
      );
    }),
  );
}

/** What a question and a short reply add to a history, about. */
const GROWTH = 330;

/** Milliseconds of processor time for each of the next requests, the database included. */
async function cost(
  contestant: Contestant,
  client: Client,
  talks: readonly string[],
): Promise<{ readonly spent: number; readonly bytes: number }> {
  const before = contestant.cpu();
  const { bytes } = await client.say(contestant, talks, SHORT, WINDOW);
  const after = contestant.cpu();
  const micros = after.server - before.server + after.database - before.database;
  return { spent: micros / WINDOW / 1_000, bytes };
}
