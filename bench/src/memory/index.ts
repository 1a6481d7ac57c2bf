import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { judge, type Result } from '../frame/contest.ts';
import { spreadOf } from '../frame/spread.ts';
import type { Settings, Suite } from '../frame/suite.ts';
import { checkReceived } from '../stream/check.ts';
import { type ClientProgram, startClient } from '../stream/client.ts';
import { type Bough, startBough } from '../stream/contestants.ts';
import { launch, residentMegabytes } from '../stream/processes.ts';

const METRONOME = new URL('../stream/programs/metronome.js', import.meta.url);
const PROBE = new URL('programs/probe.js', import.meta.url);

/** `BENCH_SOAK_MINUTES=30` shows what three minutes cannot. */
const soakMinutes = (): number => Number(process.env['BENCH_SOAK_MINUTES'] ?? 3);

const IDLE = 'idle';
const BOUGH = 'Bough';

export const memory: Suite = {
  name: 'memory',
  works: ['memory'],
  about:
    'resident memory of the server: idle, after many turns, with many streams open, and over a time of steady work',
  run: measure,
};

async function measure(settings: Settings): Promise<readonly Result[]> {
  const { quick, scratch } = settings;
  const provider = await launch(METRONOME);
  const client = await startClient();
  const bough = await startBough(provider.url, join(scratch, 'memory'), ['--expose-gc', '--import', PROBE.href]);
  const room: Room = { bough, client, settings };
  try {
    const idle = await held(bough);
    settings.progress(`idle: ${Math.round(idle)} MB`);
    return [
      await afterTurns(room, idle, quick ? { conversations: 4, turns: 2 } : { conversations: 40, turns: 25 }),
      await withStreams(room, idle, quick ? { streams: 8, seconds: 1 } : { streams: 256, seconds: 20 }),
      await overTime(room, quick ? 0.05 : soakMinutes()),
    ];
  } finally {
    for (const { stop } of [bough, client, provider]) await stop();
  }
}

interface Room {
  readonly bough: Bough;
  readonly client: ClientProgram;
  readonly settings: Settings;
}

async function held({ ask }: Bough): Promise<number> {
  const { residentMegabytes: held } = await ask<{ readonly residentMegabytes: number }>({});
  return held;
}

/** Conversations that grow in parallel, turn by turn. */
async function afterTurns(
  { bough, client, settings }: Room,
  idle: number,
  { conversations, turns }: { readonly conversations: number; readonly turns: number },
): Promise<Result> {
  const requests = await bough.prepare('deltas 20 every 1 ms', conversations);
  for (let turn = 0; turn < turns; turn += 1) {
    await client.receive(requests);
    checkReceived(BOUGH, await client.read(bough.dialect), conversations);
  }
  const after = await held(bough);
  settings.progress(`after ${conversations * turns} turns: ${Math.round(after)} MB`);
  return judged(`after ${(conversations * turns).toLocaleString('en')} turns`, 'MB', { [IDLE]: idle, [BOUGH]: after });
}

/** The most that the process holds while all of them are open, garbage included: a machine must have that much. */
async function withStreams(
  { bough, client, settings }: Room,
  idle: number,
  { streams, seconds }: { readonly streams: number; readonly seconds: number },
): Promise<Result> {
  const requests = await bough.prepare(`deltas ${seconds * 20} every 50 ms`, streams);
  const receiving = client.receive(requests);
  let most = 0;
  const watching = setInterval(() => (most = Math.max(most, residentMegabytes(bough.pid))), 200);
  try {
    await receiving;
  } finally {
    clearInterval(watching);
  }
  checkReceived(BOUGH, await client.read(bough.dialect), streams);
  settings.progress(`${streams} streams: at most ${Math.round(most)} MB`);
  return judge(
    {
      work: 'memory',
      size: `${streams} streams, each`,
      unit: 'MB',
      rounds: 1,
      contestants: [{ name: BOUGH, role: 'bough', run: () => Number.NaN }],
      goals: [{ atMost: 1, absolute: true }],
    },
    new Map([[BOUGH, [(most - idle) / streams]]]),
  );
}

/**
 * Steady light work: eight conversations at a time, each new. Compares the first third of the samples with the last.
 */
async function overTime({ bough, client, settings }: Room, minutes: number): Promise<Result> {
  const end = performance.now() + minutes * 60_000;
  const samples: number[] = [];
  while (performance.now() < end || samples.length < 3) {
    await client.receive(await bough.prepare('deltas 100 every 20 ms', 8));
    checkReceived(BOUGH, await client.read(bough.dialect), 8);
    samples.push(await held(bough));
    await sleep(100);
  }
  const third = Math.ceil(samples.length / 3);
  const parts = [samples.slice(0, third), samples.slice(third, -third), samples.slice(-third)] as const;
  const [first, middle, last] = parts.map((part) => (part.length === 0 ? Number.NaN : spreadOf(part).median));
  settings.progress(
    `over ${minutes} minutes: ${[first, middle, last].map((part) => Math.round(part ?? 0)).join(', ')} MB`,
  );
  const name = 'in the first third';
  return {
    ...judged(`over ${minutes} minutes`, 'MB', { [name]: first ?? Number.NaN, [BOUGH]: last ?? Number.NaN }, [
      { atMost: 1.05, times: name },
    ]),
  };
}

function judged(
  size: string,
  unit: string,
  figures: Readonly<Record<string, number>>,
  goals: Parameters<typeof judge>[0]['goals'] = [],
): Result {
  const contestants = Object.keys(figures).map((name) => ({
    name,
    role: name === BOUGH ? ('bough' as const) : ('floor' as const),
    run: () => Number.NaN,
  }));
  return judge(
    { work: 'memory', size, unit, rounds: 1, contestants, goals },
    new Map(Object.entries(figures).map(([name, value]) => [name, [value]])),
  );
}
