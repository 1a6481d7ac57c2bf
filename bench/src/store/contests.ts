import type { Contest, Contestant, Result } from '../frame/contest.ts';
import { judge } from '../frame/contest.ts';
import type { Keeper, Texts } from './keeper.ts';
import type { TurnPayload } from './payload.ts';
import { messagesOf, tipOf } from './payload.ts';
import type { Scene } from './scene.ts';

const PAGE_MESSAGES = 40;
const FLOOR = 'plain INSERT / SELECT';
const TWICE_THE_FLOOR = [{ atMost: 2, times: FLOOR }] as const;
/**
 * A peer stops after this time in a round, however little it did: some of them do work that grows with the project in
 * every single step.
 */
const PEER_BUDGET_MS = 300;

export interface Amounts {
  readonly rounds: number;
  readonly turnsPerRound: number;
  readonly pagesPerRound: number;
  readonly pathsPerRound: number;
}

export type ContestIn = (scene: Scene, amounts: Amounts) => Contest;

const everybody = ({ bough, floor, peers }: Scene): readonly Keeper[] => [bough, floor, ...peers];

const newestPage: ContestIn = (scene, { rounds, pagesPerRound }) => ({
  work: 'store: newest page',
  size: scene.size,
  unit: 'ms',
  rounds,
  goals: TWICE_THE_FLOOR,
  contestants: everybody(scene).map((keeper) =>
    reader(
      keeper,
      pagesPerRound,
      () => keeper.newestPage(tipOf(scene.conversation), PAGE_MESSAGES),
      scene.conversation.slice(-PAGE_MESSAGES / 2),
    ),
  ),
});

const path: ContestIn = (scene, { rounds, pathsPerRound }) => ({
  work: 'store: path',
  size: scene.size,
  unit: 'ms',
  rounds,
  goals: TWICE_THE_FLOOR,
  contestants: everybody(scene).map((keeper) =>
    reader(keeper, pathsPerRound, () => keeper.path(tipOf(scene.conversation)), scene.conversation),
  ),
});

const append: ContestIn = (scene, { rounds, turnsPerRound }) => ({
  work: 'store: append',
  size: scene.size,
  unit: 'ms a turn',
  rounds,
  goals: TWICE_THE_FLOOR,
  contestants: everybody(scene).map((keeper) => writer(scene, keeper, turnsPerRound, keeper.append)),
});

const turn: ContestIn = (scene, { rounds, turnsPerRound }) => ({
  work: 'store: turn',
  size: scene.size,
  unit: 'ms a turn',
  rounds,
  goals: TWICE_THE_FLOOR,
  contestants: [scene.bough, scene.floor].map((keeper) => writer(scene, keeper, turnsPerRound / 4, keeper.runTurn)),
});

/** Reading comes first: some peers can only read what they stored last. */
export const CONTESTS: readonly ContestIn[] = [newestPage, path, append, turn];

/** Gives a keeper sentences to store, always after what it stored last. */
function writer(scene: Scene, keeper: Keeper, turns: number, store: (turn: TurnPayload) => Promise<void>): Contestant {
  return {
    name: keeper.name,
    role: keeper.role,
    run: async () => {
      const ready = scene.writer.conversation(scene.tips.get(keeper.name) ?? tipOf(scene.conversation), turns);
      const { count, ms } = await repeat(keeper, turns, async (at) => {
        const given = ready[at];
        if (given !== undefined) await store(given);
      });
      const written = ready.slice(0, count);
      scene.tips.set(keeper.name, tipOf(written));
      const newest = written.slice(-PAGE_MESSAGES / 2);
      check(keeper, await keeper.newestPage(tipOf(written), newest.length * 2), newest);
      return ms / count;
    },
  };
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

export async function bytes(scene: Scene): Promise<Result> {
  const { size, nodes } = scene;
  const keepers = everybody(scene);
  const samples = new Map<string, readonly number[]>();
  for (const keeper of keepers) samples.set(keeper.name, [(await keeper.bytes()) / nodes]);
  const contestants = keepers.map(({ name, role }) => ({ name, role, run: () => Number.NaN }));
  return judge({ work: 'store: bytes', size, unit: 'bytes a node', rounds: 1, contestants }, samples);
}
