import type { Goal, Result } from '../frame/contest.ts';
import { quantile } from '../frame/spread.ts';
import type { Settings } from '../frame/suite.ts';
import type { Client } from './client.ts';
import { type Contestant, FLOOR } from './contestants.ts';
import { PORTKEY } from './portkey.ts';
import { eachRound, judgeDefault, judgeModes, type Row, Samples, sizeText } from './rounds.ts';

export const FIRST_BYTE = 'gateway: first byte';
export const PROCESSOR = 'gateway: processor';

export interface Passing {
  readonly bytes: number;
  readonly streams: number;
  /** Requests of each stream whose first byte is waited for. */
  readonly requests: number;
  /** Of the replies whose processor time is measured. */
  readonly deltas: number;
  /**
   * How many of them are measured. A process sweeps its memory after every tenth or so, which costs twice as much as a
   * reply: of a single one, chance decides whether that is in it.
   */
  readonly replies: number;
  readonly rounds: number;
}

/**
 * As from a model, the first event comes alone. Replies that arrive in one packet would measure their end: it is stored
 * before anybody sees it.
 */
const PACED = { deltas: 6, everyMs: 3 } as const;

/** Conversations that go on: the first byte of many short replies, then the processor time of long ones. */
export async function holdPassing(
  contestants: readonly Contestant[],
  client: Client,
  size: Passing,
  settings: Settings,
): Promise<readonly Result[]> {
  const { bytes, streams, requests, deltas, replies, rounds } = size;
  const samples = new Samples();
  await eachRound(contestants, rounds, async (contestant, isCounted) => {
    const { name } = contestant;
    const talks = await client.open(streams, bytes);
    const begun = await client.begin(contestant, talks, PACED);
    const short = await client.say(contestant, talks, PACED, requests);
    let { unrecorded } = begun;
    unrecorded += short.unrecorded;
    const spent = { server: 0, database: 0 };
    for (let reply = 0; reply < replies; reply += 1) {
      // In a new conversation each time: a long reply makes the history of the next one longer.
      const own = reply === 0 ? talks : await client.open(streams, bytes);
      if (reply > 0) unrecorded += (await client.begin(contestant, own, PACED)).unrecorded;
      const before = contestant.cpu();
      unrecorded += (await client.say(contestant, own, { deltas, everyMs: 0 })).unrecorded;
      const after = contestant.cpu();
      spent.server += after.server - before.server;
      spent.database += after.database - before.database;
    }
    await client.close();
    if (contestant.role === 'bough' && unrecorded > 0) settings.progress(`${name}: ${unrecorded} passed unrecorded`);
    if (!isCounted) return;
    const sorted = [...short.firstByte].sort((a, b) => a - b);
    samples.add('p50', name, quantile(sorted, 0.5));
    samples.add('p99', name, quantile(sorted, 0.99));
    samples.add(
      'begun',
      name,
      quantile(
        [...begun.firstByte].sort((a, b) => a - b),
        0.5,
      ),
    );
    const events = streams * deltas * replies;
    samples.add('server', name, spent.server / events);
    samples.add('whole', name, (spent.server + spent.database) / events);
  });
  const shown = `${sizeText(bytes)}, ${streams} ${streams === 1 ? 'stream' : 'streams'}`;
  settings.progress(`${shown}: ${rounds} rounds`);
  const hasPortkey = contestants.some(({ name }) => name === PORTKEY);
  const waiting = { rounds, unit: 'ms', work: FIRST_BYTE };
  const working = { rounds, unit: 'µs an event', work: PROCESSOR };
  const isPromised = bytes === PROMISED && streams === 1;
  const goalFor = (atMost: number): readonly Goal[] => (isPromised ? [{ atMost, above: FLOOR }] : []);
  const rows = (what: string, { size: about, ...row }: Row): readonly Result[] => {
    const named = { ...row, size: `${shown}${about}` };
    const taken = samples.of(what);
    return isPromised ? judgeModes(named, contestants, taken) : [judgeDefault(named, contestants, taken)];
  };
  return [
    ...rows('p50', { ...waiting, size: ', p50', goals: goalFor(5) }),
    ...rows('p99', { ...waiting, size: ', p99', goals: goalFor(15) }),
    ...(streams === 1 ? rows('begun', { ...waiting, size: ', nothing known' }) : []),
    ...rows('server', { ...working, size: '', goals: hasPortkey ? [{ atMost: 0.5, times: PORTKEY }] : [] }),
    ...rows('whole', { ...working, size: ', with PostgreSQL' }),
  ];
}

/** The length of a request for which something is promised about its first byte. */
const PROMISED = 500_000;
