import { join } from 'node:path';
import type { Result } from '../frame/contest.ts';
import type { Settings, Suite } from '../frame/suite.ts';
import { startClient } from './client.ts';
import { startContestants, startSyncedPipe } from './contestants.ts';
import { holdLatency } from './latency.ts';
import { launch } from './processes.ts';
import { holdThroughput, warmUp } from './throughput.ts';

const SIMULATOR = new URL('../../../packages/simulator/dist/main.js', import.meta.url);
const METRONOME = new URL('programs/metronome.js', import.meta.url);

export const stream: Suite = {
  name: 'stream',
  works: ['stream'],
  about:
    'processor time per delta from a provider to a client, Bough with raw and durable log, the others storing nothing',
  run: measureThroughput,
};

export const latency: Suite = {
  name: 'latency',
  works: ['latency'],
  about: 'delay of a delta from a provider to a client at the pace of real models, the same contestants',
  run: measureLatency,
};

async function measureThroughput(settings: Settings): Promise<readonly Result[]> {
  const { quick, scratch } = settings;
  const simulator = await launch(SIMULATOR, { args: ['--port', '0', '--pace', '0'] });
  const client = await startClient();
  const contestants = await startContestants(simulator.url, join(scratch, 'stream'));
  try {
    const results: Result[] = [];
    // Servers run for days: no contestant is measured while its code is still being compiled.
    if (!quick) await warmUp(contestants, client);
    for (const size of quick ? [{ streams: 2, deltas: 200, rounds: 1 }] : SIZES) {
      results.push(...(await holdThroughput(contestants, client, size, settings)));
    }
    return results;
  } finally {
    for (const { stop } of [...contestants, client, simulator]) await stop();
  }
}

/** Long replies, and 20,000 deltas in total over many short ones, where the fixed cost of a turn weighs most. */
const SIZES = [
  { streams: 1, deltas: 20_000, rounds: 5 },
  { streams: 8, deltas: 20_000, rounds: 3 },
  { streams: 64, deltas: 2_500, rounds: 3 },
  { streams: 64, deltas: 312, rounds: 5 },
];

async function measureLatency(settings: Settings): Promise<readonly Result[]> {
  const { quick, scratch } = settings;
  const metronome = await launch(METRONOME);
  const client = await startClient();
  const contestants = [
    ...(await startContestants(metronome.url, join(scratch, 'latency'))),
    await startSyncedPipe(metronome.url, join(scratch, 'journal')),
  ];
  try {
    const sizes = quick ? [{ streams: 4, deltas: 20, everyMs: 5, rounds: 1 }] : PACED;
    const results: Result[] = [];
    for (const size of sizes) results.push(...(await holdLatency(contestants, client, size, settings)));
    return results;
  } finally {
    for (const { stop } of [...contestants, client, metronome]) await stop();
  }
}

/** At the pace of real models: 30 tokens a second. */
const PACED = [
  { streams: 1, deltas: 200, everyMs: 33, rounds: 3 },
  { streams: 64, deltas: 200, everyMs: 33, rounds: 3 },
];
