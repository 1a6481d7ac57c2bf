import type { Branch, Call, NodeId, ProjectId, Turn } from '@bough/core';
import { ConflictError } from '@bough/store';
import { OverBudgetError, budgetFor } from '../admit/budget.ts';
import { RequestError } from '../admit/errors.ts';
import { planFork } from '../branches/index.ts';
import { requireIdle } from '../branches/change.ts';
import type { Environment } from '../environment.ts';
import type { CompactionRequest } from './preview.ts';
import { planRange } from './range.ts';
import { writeSummary } from './write.ts';

export type { CompactionPreview, CompactionRequest } from './preview.ts';
export { previewCompaction } from './preview.ts';
export type { SummaryInPlace } from './read.ts';
export { readSummary } from './read.ts';

export interface Compact extends CompactionRequest {
  /** The name of the new branch; absent: one that is free. */
  readonly name?: string | undefined;
  readonly clientRequestId?: string | undefined;
  readonly overBudget?: boolean | undefined;
}

export interface Compacted {
  /** The new branch: the summary, then everything behind it. The old one stays as it is. */
  readonly branch: Branch;
  readonly summaryId: NodeId;
  readonly upTo: NodeId;
  readonly isRounded: boolean;
  readonly call: Call | null;
}

/**
 * "Compact up to here": a summary takes the place of the beginning of a conversation, on a new branch. The nodes stay
 * where they are; the branch remembers which summary stands for them, so that everything behind it is unchanged, to
 * its ids and signatures.
 */
export async function compact(
  env: Environment,
  projectId: ProjectId,
  request: Compact,
  signal: AbortSignal,
): Promise<Compacted> {
  const { ref, upTo, instruction, name, clientRequestId, overBudget } = request;
  const range = await planRange(env, projectId, ref, upTo);
  const { branch: source } = range;
  await requireIdle(env, source);
  const { keyProblem } = env.providers.get(source.envelope.provider);
  if (keyProblem !== null) throw new RequestError(keyProblem.code, keyProblem.message);
  const verdict = await budgetFor(env, projectId, source.envelope, overBudget);
  if (verdict !== null && verdict.refusedBy !== null) throw new OverBudgetError(verdict.refusedBy);
  const written = await writeSummary(env, range, instruction, { signal, clientRequestId });
  if (!('call' in written)) return compactedBefore(env, written);
  const branch = await createCompacted(env, source, written.id, name);
  await env.store.publish({ type: 'changed', projectId });
  return { branch, summaryId: written.id, upTo: range.upTo, isRounded: range.isRounded, call: written.call };
}

/** How many names to try, should each be taken in the meantime. */
const NAMES = 5;

async function createCompacted(
  env: Environment,
  source: Branch,
  summary: NodeId,
  name: string | undefined,
): Promise<Branch> {
  const { projectId } = source;
  for (let tries = 1; ; tries += 1) {
    const { branch } = await planFork(env, projectId, {
      source,
      point: source.tipId,
      requested: { summaries: [...(source.envelope.summaries ?? []), summary] },
      // A name that was asked for and is taken must not cost the summary, which was paid for.
      about: name ?? `${source.name} compacted`,
      branches: await env.store.listBranches(projectId),
    });
    try {
      await env.store.createBranch(branch);
      return branch;
    } catch (error) {
      const isTaken = error instanceof ConflictError && error.code === 'name_taken';
      if (!isTaken || tries === NAMES) throw error;
    }
  }
}

/** What a repeated request made the first time. */
async function compactedBefore(env: Environment, turn: Turn): Promise<Compacted> {
  const { projectId } = turn;
  const nodes = await env.store.nodesOfTurn(projectId, turn.id);
  const summary = nodes.at(-1);
  const upTo = nodes[0]?.parentId ?? null;
  const branches = await env.store.listBranches(projectId);
  const branch = branches.find(({ envelope }) => summary !== undefined && envelope.summaries?.includes(summary.id));
  if (summary === undefined || upTo === null || branch === undefined) {
    const why = turn.status === 'running' ? 'is still being written' : 'was not made';
    throw new RequestError('summary_failed', `The summary that this request asked for ${why}.`);
  }
  return { branch, summaryId: summary.id, upTo, isRounded: false, call: null };
}
