import { join } from 'node:path';
import type { Result } from '../frame/contest.ts';
import type { Settings, Suite } from '../frame/suite.ts';
import { launch } from '../stream/processes.ts';
import { type Client, startClient } from './client.ts';
import { type Contestant, startContestants } from './contestants.ts';
import { holdMemory, MEMORY, type Open } from './memory.ts';
import { FIRST_BYTE, holdPassing, type Passing, PROCESSOR } from './passing.ts';
import { findPortkey } from './portkey.ts';
import { holdSession, SESSION } from './session.ts';

const VENDOR = new URL('programs/vendor.js', import.meta.url);

export const gateway: Suite = {
  name: 'gateway',
  works: [FIRST_BYTE, PROCESSOR, MEMORY, SESSION],
  about:
    "an agent's requests through the gateway, everything recorded, against a bare proxy and Portkey: first byte, " +
    'processor time, memory, and how requests late in a session compare with early ones',
  run: measure,
};

async function measure(settings: Settings): Promise<readonly Result[]> {
  const { quick, scratch } = settings;
  const portkey = await findPortkey(settings);
  const vendor = await launch(VENDOR);
  const client = await startClient();
  const results: Result[] = [];
  let started = 0;
  const among = async (work: (contestants: readonly Contestant[], client: Client) => Promise<readonly Result[]>) => {
    const contestants = await startContestants(vendor.url, join(scratch, 'gateway', `${(started += 1)}`), portkey);
    try {
      results.push(...(await work(contestants, client)));
    } finally {
      for (const { stop } of contestants) await stop();
    }
  };
  try {
    await among(async (contestants) => {
      const found: Result[] = [];
      // Servers run for days: no contestant is measured while its code is still being compiled.
      if (!quick) await warmUp(contestants, client);
      for (const size of quick ? QUICK : SIZES) found.push(...(await holdPassing(contestants, client, size, settings)));
      const session = quick ? { named: [10, 20], rounds: 1 } : { named: [10, 100, 1_000], rounds: 2 };
      return [...found, ...(await holdSession(contestants, client, session, settings))];
    });
    for (const size of quick ? QUICK_OPEN : OPEN)
      await among((contestants) => holdMemory(contestants, client, size, settings));
    return results;
  } finally {
    for (const { stop } of [client, vendor]) await stop();
  }
}

async function warmUp(contestants: readonly Contestant[], client: Client): Promise<void> {
  for (const contestant of contestants) {
    await client.say(contestant, await client.open(8, 50_000), { deltas: 500, everyMs: 0 }, 25);
    await client.close();
  }
}

const QUICK: readonly Passing[] = [{ bytes: 5_000, streams: 2, requests: 2, deltas: 100, replies: 1, rounds: 1 }];
const QUICK_OPEN: readonly Open[] = [{ bytes: 5_000, streams: 4, deltas: 5 }];

/**
 * Sessions of 5 MB go eight at a time: until 64 of them have begun, with a history that is all new, minutes pass, and
 * longer than a store may take for one request.
 */
const SIZES: readonly Passing[] = [
  { bytes: 5_000, streams: 1, requests: 40, deltas: 2_000, replies: 20, rounds: 3 },
  { bytes: 500_000, streams: 1, requests: 40, deltas: 2_000, replies: 20, rounds: 4 },
  { bytes: 5_000_000, streams: 1, requests: 10, deltas: 2_000, replies: 6, rounds: 2 },
  { bytes: 5_000, streams: 64, requests: 2, deltas: 250, replies: 1, rounds: 3 },
  { bytes: 500_000, streams: 64, requests: 2, deltas: 250, replies: 1, rounds: 1 },
  { bytes: 5_000_000, streams: 8, requests: 2, deltas: 250, replies: 1, rounds: 1 },
];

const OPEN: readonly Open[] = [
  { bytes: 5_000, streams: 64, deltas: 60 },
  { bytes: 500_000, streams: 64, deltas: 60 },
  { bytes: 5_000_000, streams: 8, deltas: 60 },
];
