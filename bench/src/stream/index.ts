import { join } from 'node:path';
import type { Result } from '../frame/contest.ts';
import type { Settings, Suite } from '../frame/suite.ts';
import { startClient } from './client.ts';
import { startContestants } from './contestants.ts';
import { holdLatency } from './latency.ts';
import { launch } from './processes.ts';
import { holdThroughput } from './throughput.ts';

const SIMULATOR = new URL('../../../packages/simulator/dist/main.js', import.meta.url);
const METRONOME = new URL('programs/metronome.js', import.meta.url);

export const stream: Suite = {
  name: 'stream',
  works: ['stream', 'latency'],
  about:
    'processor time and delay per delta from a provider to a client, Bough with raw and durable log, the others storing nothing',
  run: async (settings) => [...(await throughput(settings)), ...(await latency(settings))],
};

async function throughput(settings: Settings): Promise<readonly Result[]> {
  const { quick, scratch } = settings;
  const simulator = await launch(SIMULATOR, { args: ['--port', '0', '--pace', '0'] });
  const client = await startClient();
  const contestants = await startContestants(simulator.url, join(scratch, 'stream'));
  try {
    const results: Result[] = [];
    for (const [streams, deltas] of quick ? ([[2, 200]] as const) : SIZES) {
      results.push(
        ...(await holdThroughput(contestants, client, { streams, deltas, rounds: quick ? 1 : 5 }, settings)),
      );
    }
    return results;
  } finally {
    for (const { stop } of [...contestants, client, simulator]) await stop();
  }
}

const SIZES = [
  [1, 20_000],
  [8, 20_000],
  [64, 2_500],
] as const;

async function latency(settings: Settings): Promise<readonly Result[]> {
  const { quick, scratch } = settings;
  const metronome = await launch(METRONOME);
  const client = await startClient();
  const contestants = await startContestants(metronome.url, join(scratch, 'latency'));
  try {
    const sizes = quick ? [{ streams: 4, deltas: 20, everyMs: 5, rounds: 1 }] : PACED;
    const results: Result[] = [];
    for (const size of sizes) results.push(...(await holdLatency(contestants, client, size, settings)));
    return results;
  } finally {
    for (const { stop } of [...contestants, client, metronome]) await stop();
  }
}

/** As fast as real models are: 30 tokens a second. */
const PACED = [
  { streams: 1, deltas: 300, everyMs: 33, rounds: 3 },
  { streams: 64, deltas: 300, everyMs: 33, rounds: 5 },
];
