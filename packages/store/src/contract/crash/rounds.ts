import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ProjectId } from '@bough/core';
import type { Store } from '../../store.ts';
import { brokenFiles } from '../model/files.ts';
import type { ProjectModel, StoreModel } from '../model/model.ts';
import { applyOperation, EMPTY_MODEL, snapshotOfModel } from '../model/model.ts';
import type { Operation } from '../model/operations.ts';
import { runOperation } from '../model/operations.ts';
import { planSteps } from '../model/plan.ts';
import { seededRandom } from '../model/random.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { snapshotProject } from '../snapshot.ts';

const ROUNDS_KEPT = 4;
const FUTURE = '9999-01-01T00:00:00.000Z';

export interface CrashOptions {
  /** The writer, bundled: see `bundleProgram`. */
  readonly program: string;
  /** Passed to the writer and to `open`: a directory, a database, whatever the back end understands. */
  readonly location: string;
  readonly open: (location: string) => Promise<Store>;
  readonly rounds: number;
  readonly seed: number;
  /** Called instead of killing the writer alone: to kill the database server too, for example. */
  readonly kill?: (writer: number) => void;
  readonly onRound?: (round: CrashRound) => void;
}

export interface CrashRound {
  readonly round: number;
  readonly acknowledged: number;
  /** Operations that were under way when the kill came. */
  readonly underWay: number;
  /** How many of those were stored anyway, whole. */
  readonly stored: number;
}

/**
 * Thrown where the store is not what it must be after a crash. Names the seed and the round, so the run can be
 * repeated.
 */
export class CrashFindingError extends Error {
  override readonly name = 'CrashFindingError';
}

/**
 * Starts the writer, kills it with SIGKILL at a random point, opens the store, and compares it with the model:
 * everything acknowledged, plus any whole operations that were under way. All rounds use the same data, so each
 * recovery is followed by the next crash.
 */
export async function crashRounds(options: CrashOptions): Promise<readonly CrashRound[]> {
  const random = seededRandom(options.seed);
  const rounds: CrashRound[] = [];
  let model = EMPTY_MODEL;
  for (let round = 0; round < options.rounds; round += 1) {
    const seed = options.seed * 1000 + round;
    const prefix = `s${options.seed}r${round}`;
    const target = { acknowledgements: random.int(80) - 2, delayMs: random.next() * 4 };
    const acknowledged = await runUntilKilled(options, seed, prefix, target);
    const { before, underWay } = replay(model, seed, prefix, acknowledged);

    const store = await options.open(options.location);
    try {
      const found = await findOutcome(store, before, underWay);
      if (!found) throw await describeFinding(store, before, `round ${round}, seed ${seed}, ${prefix}`);
      const broken = await brokenFiles(store);
      if (broken.length > 0) throw new CrashFindingError(`round ${round}, seed ${seed}: ${broken.join('; ')}`);
      model = await writeOn(store, found.model, prefix);
      model = await forget(store, model, `s${options.seed}r${round - ROUNDS_KEPT}`);
      // What the dead writer put for nothing goes; what anything refers to must still be there after the next crash.
      await store.blobs.sweep({ putBefore: FUTURE });
      const summary = { round, acknowledged: acknowledged.length, underWay: underWay.length, stored: found.stored };
      rounds.push(summary);
      options.onRound?.(summary);
    } finally {
      await store.close();
    }
  }
  return rounds;
}

interface Acknowledgement {
  readonly step: number;
  readonly index: number;
}

/**
 * Runs the writer until that many acknowledgements have come, and a moment longer (negative: kills right after the
 * start).
 */
async function runUntilKilled(
  { program, location, kill }: CrashOptions,
  seed: number,
  prefix: string,
  target: { readonly acknowledgements: number; readonly delayMs: number },
): Promise<readonly Acknowledgement[]> {
  const child = spawn(process.execPath, [program, location, String(seed), prefix], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const complaints: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  const acknowledged: Acknowledgement[] = [];
  let dying: Promise<void> | undefined;
  const die = async (): Promise<void> => {
    await sleep(target.delayMs);
    if (child.pid === undefined) return;
    if (kill) kill(child.pid);
    else child.kill('SIGKILL');
  };
  // A writer that dies while it opens: some of the kills must hit recovery itself.
  if (target.acknowledgements < 0) dying = sleep(40).then(die);
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== 'ready') {
      const [step, index] = line.split(' ').map(Number);
      if (step !== undefined && index !== undefined) acknowledged.push({ step, index });
    }
    if (target.acknowledgements >= 0 && acknowledged.length >= target.acknowledgements) dying ??= die();
  }
  await dying;
  const [code] = (await exited) as [number | null];
  if (code !== null) throw new CrashFindingError(`the writer ended by itself with ${code}: ${complaints.join('')}`);
  return acknowledged;
}

/** What the model holds for certain, and the operations whose outcome is unknown. */
function replay(
  model: StoreModel,
  seed: number,
  prefix: string,
  acknowledged: readonly Acknowledgement[],
): { before: StoreModel; underWay: readonly Operation[] } {
  const done = new Set(acknowledged.map(({ step, index }) => `${step} ${index}`));
  let before = model;
  let number = 0;
  for (const step of planSteps(seed, prefix)) {
    const missing = step.filter((operation, index) => {
      if (!done.has(`${number} ${index}`)) return true;
      before = applyOperation(before, operation);
      return false;
    });
    if (missing.length > 0) return { before, underWay: missing };
    number += 1;
  }
  throw new Error('a plan never ends');
}

/** Finds the subset of the operations under way that explains the store's content, or null. */
async function findOutcome(
  store: Store,
  before: StoreModel,
  underWay: readonly Operation[],
): Promise<{ model: StoreModel; stored: number } | null> {
  const real = await readStore(store);
  for (let subset = 0; subset < 2 ** underWay.length; subset += 1) {
    const chosen = underWay.filter((_, index) => (subset >> index) % 2 === 1);
    const model = chosen.reduce(applyOperation, before);
    if (equals(real, model)) return { model, stored: chosen.length };
  }
  return null;
}

function equals(real: ReadonlyMap<ProjectId, ProjectSnapshot>, model: StoreModel): boolean {
  const same = ([id, project]: [ProjectId, ProjectModel]): boolean =>
    isDeepStrictEqual(real.get(id), snapshotOfModel(project));
  return real.size === model.size && [...model].every(same);
}

async function readStore(store: Store): Promise<ReadonlyMap<ProjectId, ProjectSnapshot>> {
  const projects = await store.listProjects();
  const snapshots = new Map<ProjectId, ProjectSnapshot>();
  for (const { id } of projects) snapshots.set(id, await snapshotProject(store, id));
  return snapshots;
}

async function describeFinding(store: Store, before: StoreModel, where: string): Promise<CrashFindingError> {
  const real = await readStore(store);
  const differing: string[] = [];
  for (const [id, project] of before) {
    const snapshot = real.get(id);
    if (snapshot === undefined) differing.push(`${id} is missing`);
    else if (!isDeepStrictEqual(snapshot, snapshotOfModel(project))) differing.push(`${id} differs`);
  }
  for (const id of real.keys()) if (!before.has(id)) differing.push(`${id} is there`);
  return new CrashFindingError(`${where}: the store is neither before nor after: ${differing.join(', ')}`);
}

/**
 * Removes old rounds, so that the hundredth round costs what the tenth did; what stays has survived several crashes.
 */
async function forget(store: Store, model: StoreModel, prefix: string): Promise<StoreModel> {
  let after = model;
  for (const projectId of model.keys()) {
    if (!projectId.startsWith(`${prefix}-`)) continue;
    const operation = { type: 'deleteProject', projectId } as const;
    await runOperation(store, operation);
    after = applyOperation(after, operation);
  }
  return after;
}

/** A store that opened must also take new writes, and the turns of the dead writer must be there to be taken over. */
async function writeOn(store: Store, model: StoreModel, prefix: string): Promise<StoreModel> {
  let after = model;
  for (const [projectId, { project }] of model) {
    if (!projectId.startsWith(`${prefix}-`)) continue;
    const operation = { type: 'updateProject', projectId, patch: { name: `${project.name} survived` } } as const;
    await runOperation(store, operation);
    after = applyOperation(after, operation);
  }
  return after;
}
