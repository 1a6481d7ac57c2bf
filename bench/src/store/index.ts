import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contestant, Result } from '../frame/contest.ts';
import { growth, hold, judge } from '../frame/contest.ts';
import type { Suite } from '../frame/suite.ts';
import type { Keeper, Texts } from './keeper.ts';
import type { TurnPayload } from './payload.ts';
import { messagesOf, tipOf } from './payload.ts';
import type { Scene, SceneSettings } from './scene.ts';
import { makeScene } from './scene.ts';
import { startBenchServer } from './server.ts';

const PAGE_MESSAGES = 40;
const FLOOR = 'plain INSERT / SELECT';
const TWICE_THE_FLOOR = [{ atMost: 2, times: FLOOR }] as const;
/** From the smallest project to the largest. */
const INDEPENDENT_OF_SIZE = 1.2;
/** A peer stops after this time in a round, however little it did: some of them do work that grows with the project, in every single step. */
const PEER_BUDGET_MS = 300;

interface Amounts {
  readonly rounds: number;
  readonly turnsPerRound: number;
  readonly pagesPerRound: number;
  readonly pathsPerRound: number;
  readonly scenes: readonly Omit<SceneSettings, 'scratch'>[];
}

const FULL: Amounts = {
  rounds: 10,
  turnsPerRound: 1_000,
  pagesPerRound: 200,
  pathsPerRound: 10,
  scenes: [
    { size: '1 k nodes', nodes: 1_000, pathTurns: 500, peers: ['langgraph', 'files', 'lines'] },
    { size: '100 k nodes', nodes: 100_000, pathTurns: 1_000, peers: ['files', 'lines'] },
    { size: '1 M nodes', nodes: 1_000_000, pathTurns: 1_000, peers: [] },
  ],
};

const QUICK: Amounts = {
  rounds: 2,
  turnsPerRound: 20,
  pagesPerRound: 5,
  pathsPerRound: 1,
  scenes: [
    { size: '100 nodes', nodes: 100, pathTurns: 50, peers: ['langgraph', 'files', 'lines'] },
    { size: '1 k nodes', nodes: 1_000, pathTurns: 100, peers: ['files', 'lines'] },
  ],
};

export const store: Suite = {
  name: 'store',
  works: ['store: append', 'store: turn', 'store: newest page', 'store: path', 'store: bytes'],
  about: 'appending turns, reading the newest page and a path, and bytes on disk, in projects of 1 k to 1 M nodes',
  run: async (settings) => {
    const { quick, scratch } = settings;
    const amounts = quick ? QUICK : FULL;
    const place = join(scratch, 'store');
    await mkdir(place, { recursive: true });
    const server = await startBenchServer(place);
    const results: Result[] = [];
    try {
      for (const project of amounts.scenes) {
        settings.progress(`${project.size}: filling`);
        const scene = await makeScene(server, { ...project, scratch: place });
        try {
          for await (const result of contests(scene, amounts)) {
            settings.progress(`${result.work}, ${result.size}`);
            results.push(result);
          }
        } finally {
          await scene.close();
        }
      }
    } finally {
      await server.stop();
    }
    return withGrowth(results);
  },
};

async function* contests(scene: Scene, amounts: Amounts): AsyncIterable<Result> {
  const { size, bough, floor, peers } = scene;
  const { rounds } = amounts;
  const everybody: readonly Keeper[] = [bough, floor, ...peers];
  yield await bytes(scene, everybody);
  const first = scene.conversation;
  const reads = (
    work: string,
    times: number,
    read: (keeper: Keeper) => Promise<Texts>,
    expected: readonly TurnPayload[],
  ): Promise<Result> =>
    hold({
      work,
      size,
      unit: 'ms',
      rounds,
      goals: TWICE_THE_FLOOR,
      contestants: everybody.map((keeper) => reader(keeper, times, () => read(keeper), expected)),
    });
  yield await reads(
    'store: newest page',
    amounts.pagesPerRound,
    (keeper) => keeper.newestPage(tipOf(first), PAGE_MESSAGES),
    first.slice(-PAGE_MESSAGES / 2),
  );
  yield await reads('store: path', amounts.pathsPerRound, (keeper) => keeper.path(tipOf(first)), first);

  const appending = new Following(scene);
  yield await hold({
    work: 'store: append',
    size,
    unit: 'ms a turn',
    rounds,
    goals: TWICE_THE_FLOOR,
    contestants: everybody.map((keeper) => appending.contestant(keeper, amounts.turnsPerRound, keeper.append)),
  });
  yield await hold({
    work: 'store: turn',
    size,
    unit: 'ms a turn',
    rounds,
    goals: TWICE_THE_FLOOR,
    contestants: [bough, floor].map((keeper) =>
      appending.contestant(keeper, amounts.turnsPerRound / 2, keeper.runTurn),
    ),
  });
}

/** What each keeper gets to store: sentences of the same writer, each behind what the keeper stored last. */
class Following {
  readonly #scene: Scene;
  readonly #tips = new Map<string, string>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  contestant(keeper: Keeper, turns: number, store: (turn: TurnPayload) => Promise<void>): Contestant {
    return {
      name: keeper.name,
      role: keeper.role,
      run: async () => {
        const tip = this.#tips.get(keeper.name) ?? tipOf(this.#scene.conversation);
        const ready = this.#scene.writer.conversation(tip, turns);
        const { count, ms } = await repeat(keeper, turns, async (at) => {
          const turn = ready[at];
          if (turn !== undefined) await store(turn);
        });
        const written = ready.slice(0, count);
        this.#tips.set(keeper.name, tipOf(written));
        const newest = written.slice(-PAGE_MESSAGES / 2);
        check(keeper, await keeper.newestPage(tipOf(written), newest.length * 2), newest);
        return ms / count;
      },
    };
  }
}

function reader(
  keeper: Keeper,
  times: number,
  read: () => Promise<Texts>,
  expected: readonly TurnPayload[],
): Contestant {
  return {
    name: keeper.name,
    role: keeper.role,
    run: async () => {
      let texts: Texts = [];
      const { count, ms } = await repeat(keeper, times, async () => {
        texts = await read();
      });
      check(keeper, texts, expected);
      return ms / count;
    },
  };
}

async function repeat(
  { role }: Keeper,
  times: number,
  work: (at: number) => Promise<void>,
): Promise<{ readonly count: number; readonly ms: number }> {
  const began = performance.now();
  for (let count = 1; ; count += 1) {
    await work(count - 1);
    const ms = performance.now() - began;
    if (count >= times || (role === 'peer' && ms > PEER_BUDGET_MS)) return { count, ms };
  }
}

function check(keeper: Keeper, texts: Texts, expected: readonly TurnPayload[]): void {
  const written = messagesOf(expected).map(({ text }) => text);
  if (texts.length === written.length && texts.every((text, at) => text === written[at])) return;
  throw new Error(`${keeper.name} gave back other messages than it was given.`);
}

async function bytes({ size, nodes }: Scene, keepers: readonly Keeper[]): Promise<Result> {
  const samples = new Map<string, readonly number[]>();
  for (const keeper of keepers) samples.set(keeper.name, [(await keeper.bytes()) / nodes]);
  const contestants = keepers.map(({ name, role }) => ({ name, role, run: () => Number.NaN }));
  return judge({ work: 'store: bytes', size, unit: 'bytes a node', rounds: 1, contestants }, samples);
}

/** Cost must not grow with the project, and neither may the bytes of a node; a path is as long as it is. */
function withGrowth(results: readonly Result[]): readonly Result[] {
  return results.map((result) => {
    if (result.work === 'store: path') return result;
    const ofWork = results.filter(({ work }) => work === result.work);
    // The bytes of a few nodes are mostly pages that are not full yet.
    const small = result.work === 'store: bytes' ? ofWork.at(-2) : ofWork[0];
    if (small === undefined || result !== ofWork.at(-1) || result === small) return result;
    return { ...result, verdicts: [...result.verdicts, growth(small, result, INDEPENDENT_OF_SIZE)] };
  });
}
