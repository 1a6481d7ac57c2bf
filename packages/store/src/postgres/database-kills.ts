import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ProjectId } from '@bough/core';
import type { StoreModel } from '../contract/model/model.ts';
import { applyOperation, EMPTY_MODEL, snapshotOfModel } from '../contract/model/model.ts';
import type { Operation } from '../contract/model/operations.ts';
import { runOperation } from '../contract/model/operations.ts';
import { planSteps } from '../contract/model/plan.ts';
import type { Random } from '../contract/model/random.ts';
import { seededRandom } from '../contract/model/random.ts';
import type { ProjectSnapshot } from '../contract/snapshot.ts';
import { snapshotProject } from '../contract/snapshot.ts';
import { StoreError } from '../errors.ts';
import type { PostgresStore } from './index.ts';
import { openPostgresStore } from './index.ts';
import { backends, everyProcess, firstProcess, kill } from './testing/processes.ts';

// One store lives through all of it: its database is killed again and again while writers are at work, and each of
// their writes must succeed, exactly once.

const WRITERS = 6;
const STEPS = 25;

/**
 * Ways to kill a server. When one backend is killed, the others are stopped at once, losing everything that is not on
 * the disk yet.
 */
const KILLS: Readonly<Record<string, (cluster: string, random: Random) => void>> = {
  'first process': (cluster) => firstProcess(cluster).forEach((pid) => kill(pid)),
  'one backend': (cluster, random) => oneOf(backends(cluster), random).forEach((pid) => kill(pid)),
  'every process': (cluster) => everyProcess(cluster).forEach((pid) => kill(pid)),
  'immediate shutdown': (cluster) => firstProcess(cluster).forEach((pid) => kill(pid, 'SIGQUIT')),
  'fast shutdown': (cluster) => firstProcess(cluster).forEach((pid) => kill(pid, 'SIGINT')),
  'sessions ended': (cluster) => backends(cluster).forEach((pid) => kill(pid, 'SIGTERM')),
};

const oneOf = (pids: readonly number[], random: Random): readonly number[] =>
  pids.length === 0 ? [] : [random.pick(pids)];

export interface KillRound {
  readonly round: number;
  readonly how: string;
  /** Writes that were acknowledged, all of which were found. */
  readonly acknowledged: number;
  /** Imports that the kill interrupted and that had to be started again: a stream cannot be read twice. */
  readonly repeatedImports: number;
}

/** Throws at the first write that failed, is missing, or is stored twice or partly; names the seed and the round. */
export async function databaseKills(
  rounds: number,
  seed: number,
  onRound: (round: KillRound) => void = () => undefined,
): Promise<readonly KillRound[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-kills-'));
  const cluster = join(dataDir, 'postgres', 'cluster');
  const random = seededRandom(seed);
  const store = await openPostgresStore({ dataDir });
  const done: KillRound[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const how = Object.keys(KILLS)[round % Object.keys(KILLS).length] ?? '';
      const name = `s${seed}r${round}`;
      try {
        const summary = { round, how, ...(await oneRound(store, name, seed * 1000 + round, killer())) };
        done.push(summary);
        onRound(summary);
      } catch (error) {
        throw new Error(`round ${round} of seed ${seed} (${how})`, { cause: error });
      }

      function killer(): Killer {
        const at = 1 + random.int(WRITERS * STEPS);
        const delayMs = random.next() * 3;
        return { at, act: () => sleep(delayMs).then(() => KILLS[how]?.(cluster, random)) };
      }
    }
  } finally {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  return done;
}

interface Killer {
  /** After how many acknowledgements of the round. */
  readonly at: number;
  readonly act: () => Promise<void>;
}

async function oneRound(store: PostgresStore, name: string, seed: number, killer: Killer) {
  let acknowledged = 0;
  let repeatedImports = 0;
  const killing: Promise<void>[] = [];
  const write = async (operation: Operation): Promise<void> => {
    try {
      await runOperation(store, operation);
    } catch (error) {
      const isRefused = error instanceof StoreError && error.code === 'store_unreachable';
      if (operation.type !== 'importProject' || !isRefused) throw error;
      // It said that nothing was stored: if that is wrong, the ids are taken now.
      repeatedImports += 1;
      return write(operation);
    }
    acknowledged += 1;
    if (acknowledged === killer.at) killing.push(killer.act());
  };
  const models = await Promise.all(
    Array.from({ length: WRITERS }, (_, writer) =>
      work(write, planSteps(seed * WRITERS + writer, `${name}w${writer}`)),
    ),
  );
  await Promise.all(killing);
  for (const model of models) await compare(store, model);
  return { acknowledged, repeatedImports };
}

async function work(
  write: (operation: Operation) => Promise<void>,
  steps: Iterable<readonly Operation[]>,
): Promise<StoreModel> {
  let model = EMPTY_MODEL;
  let count = 0;
  for (const step of steps) {
    await Promise.all(step.map(write));
    model = step.reduce(applyOperation, model);
    if ((count += 1) >= STEPS) break;
  }
  return model;
}

/** Also removes what was compared, so that the last round costs what the first did. */
async function compare(store: PostgresStore, model: StoreModel): Promise<void> {
  for (const [id, project] of model) {
    const found = await snapshot(store, id);
    if (!isDeepStrictEqual(found, snapshotOfModel(project))) throw new Error(`${id} is not what was acknowledged`);
    await store.deleteProject(id);
  }
}

/** Reads again if the kill came so late that it hit the export: a snapshot does not survive a restart of the server. */
async function snapshot(store: PostgresStore, id: ProjectId): Promise<ProjectSnapshot> {
  for (;;) {
    try {
      return await snapshotProject(store, id);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store_unreachable') throw error;
    }
  }
}
