import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import type { StoreKind } from './lane.ts';
import type { Round, Seen } from './round.ts';
import { compareSeen, runRound } from './round.ts';
import type { Scenario, Stand } from './scenarios/index.ts';
import { startToolServer } from './tool-server.ts';
import { verifyDataDir } from './verify.ts';

export interface RunOptions {
  readonly scenario: Scenario;
  readonly store: StoreKind;
  readonly rounds: number;
  readonly seed: number;
  /** How many rounds run at the same time, each in a data directory of its own. */
  readonly lanes: number;
  readonly patienceMs: number;
  /** Called as things happen. */
  readonly say: (line: string) => void;
}

/** The outcome of all rounds of a scenario with a store. */
export interface Run {
  readonly scenario: string;
  readonly store: StoreKind;
  readonly rounds: number;
  readonly turns: number;
  readonly lines: number;
  readonly failedTurns: number;
  readonly findings: readonly Finding[];
  readonly takeovers: readonly number[];
  readonly refusals: ReadonlyMap<string, number>;
  readonly seconds: number;
}

/**
 * After this many rounds a data directory is compared as a whole, verified and abandoned: it must not grow for ever.
 */
const ROUNDS_PER_DIRECTORY = 25;

export async function runScenario(options: RunOptions): Promise<Run> {
  const begun = performance.now();
  const tools = await startToolServer();
  const tally = createTally();
  try {
    let next = 0;
    const lanes = Array.from({ length: Math.min(options.lanes, options.rounds) }, async () => {
      while (next < options.rounds) {
        const take = (): number | null => (next < options.rounds ? options.seed + next++ : null);
        await runDirectory(options, tools.url, take, tally);
      }
    });
    await Promise.all(lanes);
  } finally {
    await tools.close();
  }
  const { scenario, store } = options;
  return { scenario: scenario.name, store, ...tally, seconds: (performance.now() - begun) / 1000 };
}

type Tally = ReturnType<typeof createTally>;

function createTally() {
  const findings: Finding[] = [];
  const takeovers: number[] = [];
  const refusals = new Map<string, number>();
  return { rounds: 0, turns: 0, lines: 0, failedTurns: 0, findings, takeovers, refusals };
}

/** Rounds in one data directory, which is kept if anything is wrong. */
async function runDirectory(
  options: RunOptions,
  toolsUrl: string,
  take: () => number | null,
  tally: Tally,
): Promise<void> {
  const { scenario, store, patienceMs } = options;
  const stand = await scenario.open({ store, toolsUrl, patienceMs });
  const { lane } = stand;
  const seen: Seen[] = [];
  let isSound = true;
  const tell = (seed: number | null, findings: readonly Finding[]): void => {
    tally.findings.push(...findings);
    if (findings.length > 0) isSound = false;
    for (const { kind, what, projectId, turnId } of findings)
      options.say(
        `${scenario.name} ${store} ${seed === null ? 'afterwards' : `seed ${seed}`}: ${kind}: ${what} ` +
          `(project ${projectId}${turnId === undefined ? '' : `, turn ${turnId}`}; data kept in ${lane.dataDir})`,
      );
    if (findings.length > 0 && seed !== null)
      options.say(`  again: npm run soak -- ${scenario.name} --store ${store} --rounds 1 --seed ${seed}`);
  };
  try {
    for (let count = 0; count < ROUNDS_PER_DIRECTORY; count += 1) {
      const seed = take();
      if (seed === null) break;
      const round = await runRound(stand, scenario, seed);
      countIn(tally, round);
      seen.push(round.seen);
      tell(seed, round.findings);
      if (round.findings.length > 0) await keepLogs(stand, seed);
      options.say(
        `${scenario.name} ${store}: ${tally.rounds} of ${options.rounds} rounds, ` +
          `seed ${seed} took ${round.seconds.toFixed(1)} s`,
      );
    }
    // What an earlier round saw must have survived all later strikes.
    const known = new Set(tally.findings.map(({ what }) => what));
    for (const each of seen)
      tell(
        null,
        (await compareSeen(lane, each)).filter(({ what }) => !known.has(what)),
      );
  } catch (error) {
    const what = `the round failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    tell(null, [{ kind: 'stuck', what, projectId: '' }]);
  }
  await lane.stop();
  await stand.close();
  tell(null, await verifyDataDir(store, lane.dataDir));
  if (isSound) await rm(lane.dataDir, { recursive: true, force: true });
}

function countIn(tally: Tally, { seen, takeovers, refusals }: Round): void {
  const turns = [...seen.conversations, ...seen.notes.map(({ conversation }) => conversation)].flatMap(
    (each) => each.turns,
  );
  tally.rounds += 1;
  tally.turns += turns.filter(({ turnId }) => turnId !== null).length;
  tally.lines += turns.reduce((sum, turn) => sum + turn.seen, 0);
  tally.failedTurns += turns.filter(({ done }) => done?.status === 'error').length;
  tally.takeovers.push(...takeovers);
  for (const [code, times] of refusals) tally.refusals.set(code, (tally.refusals.get(code) ?? 0) + times);
}

async function keepLogs({ lane }: Stand, seed: number): Promise<void> {
  for (const [index, log] of lane.logs().entries())
    await writeFile(join(lane.dataDir, `server-${seed}-${index}.log`), log);
}
