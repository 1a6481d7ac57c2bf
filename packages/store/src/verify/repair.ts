import { randomUUID } from 'node:crypto';
import type { ProjectId } from '@bough/core';
import { BoughError } from '@bough/core';
import type { DerivedFields, Store } from '../store.ts';
import type { Finding, Repair } from './finding.ts';

export interface RepairOutcome {
  readonly repair: Repair;
  /** `planned` in a dry run; `refused` where the store is no longer as it was found, or cannot do it. */
  readonly result: 'done' | 'planned' | 'refused';
  readonly detail: string;
}

/** Short: a turn that the repair does not close must soon be free for a server. */
const CLAIM_MS = 1000;

/** The safe repairs of a report, each once. Everything else is left to people. */
export function planRepairs(findings: readonly Finding[]): readonly Repair[] {
  const plan = new Map<string, Repair>();
  for (const { repair } of findings) if (repair) plan.set(describeRepair(repair), repair);
  return [...plan.values()];
}

export function describeRepair(repair: Repair): string {
  switch (repair.type) {
    case 'move_tip':
      return `Point branch ${repair.branchId} of project ${repair.projectId} from the missing node ${repair.expected} to ${repair.next ?? 'nothing'}.`;
    case 'close_turn':
      return `Close turn ${repair.turnId} of project ${repair.projectId} as interrupted, if nobody works on it and nothing was streamed.`;
    case 'remove_unused_files':
      return `Remove the files that nothing refers to and that were put before ${repair.putBefore}.`;
    case 'rederive':
      return `Derive text and match key of node ${repair.node.id} of project ${repair.projectId} from its blocks again.`;
  }
}

/** Applies the repairs, or only says what it would do. A repair whose premises have changed is refused, not forced. */
export async function applyRepairs(
  store: Store,
  plan: readonly Repair[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly RepairOutcome[]> {
  if (dryRun) return plan.map((repair) => ({ repair, result: 'planned', detail: describeRepair(repair) }));
  const outcomes: RepairOutcome[] = [];
  const closable = plan.some(({ type }) => type === 'close_turn') ? await claimAbandoned(store) : null;
  for (const repair of plan) {
    if (repair.type !== 'rederive') outcomes.push(await attempt(repair, () => applyOne(store, repair, closable)));
  }
  for (const [projectId, repairs] of rederivations(plan)) {
    const nodes = repairs.map(({ node }) => node);
    const together = await attempt(repairs[0], () => rederive(store, projectId, nodes));
    outcomes.push(...repairs.map((repair) => ({ ...together, repair })));
  }
  return outcomes;
}

type Rederive = Extract<Repair, { type: 'rederive' }>;

async function attempt(repair: Repair | undefined, work: () => Promise<string>): Promise<RepairOutcome> {
  if (!repair) throw new Error('a group of repairs is never empty');
  try {
    return { repair, result: 'done', detail: await work() };
  } catch (error) {
    if (error instanceof BoughError) return { repair, result: 'refused', detail: error.message };
    throw error;
  }
}

async function applyOne(store: Store, repair: Exclude<Repair, Rederive>, abandoned: Abandoned | null): Promise<string> {
  if (repair.type === 'move_tip') {
    const { projectId, branchId, expected, next } = repair;
    await store.moveTip(projectId, branchId, { expected, next });
    return describeRepair(repair);
  }
  if (repair.type === 'remove_unused_files') {
    const removed = await store.blobs.sweep({ putBefore: repair.putBefore });
    return `Removed ${removed.length} file(s) that nothing refers to.`;
  }
  const { projectId, turnId } = repair;
  if (!abandoned?.turns.has(turnId)) {
    throw new BoughError('turn_owned', `Turn ${turnId} is being worked on, or has ended meanwhile. Nothing to do.`);
  }
  // What was streamed is only in the log: a server that takes over the turn makes a message of it.
  if ((await store.readLog(projectId, turnId, 0, 1)).length > 0) {
    throw new BoughError(
      'turn_streamed',
      `Turn ${turnId} has streamed already. Start Bough: it closes it and keeps that.`,
    );
  }
  const empty = { nodes: [], calls: [], renderings: [] };
  await store.commitTurn({ projectId, turnId, owner: abandoned.owner, ...empty, status: 'interrupted' });
  return describeRepair(repair);
}

interface Abandoned {
  readonly owner: string;
  readonly turns: ReadonlySet<string>;
}

async function claimAbandoned(store: Store): Promise<Abandoned> {
  const owner = `repair-${randomUUID()}`;
  const turns = await store.claimExpiredTurns(owner, CLAIM_MS);
  return { owner, turns: new Set(turns.map(({ id }) => id)) };
}

function rederivations(plan: readonly Repair[]): Map<ProjectId, Rederive[]> {
  const groups = new Map<ProjectId, Rederive[]>();
  for (const repair of plan) {
    if (repair.type === 'rederive') groups.set(repair.projectId, [...(groups.get(repair.projectId) ?? []), repair]);
  }
  return groups;
}

async function rederive(store: Store, project: ProjectId, nodes: readonly DerivedFields[]): Promise<string> {
  if (!store.rewriteDerived) {
    throw new BoughError(
      'not_supported',
      `The ${store.kind} store cannot rewrite nodes. Move the project to another store and back.`,
    );
  }
  await store.rewriteDerived(project, nodes);
  return `Derived ${nodes.length} node(s) of project ${project} again.`;
}
