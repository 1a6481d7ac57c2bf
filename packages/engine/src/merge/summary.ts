import type { Call, TreeNode } from '@bough/core';
import { mergeInstruction } from '@bough/core';
import { budgetFor, OverBudgetError } from '../admit/budget.ts';
import { RequestError } from '../admit/errors.ts';
import type { Range } from '../compact/range.ts';
import { writeSummary } from '../compact/write.ts';
import type { Environment } from '../environment.ts';
import type { PlannedMerge } from './range.ts';

/** The whole path of the source: its model has most of it in its cache, and understands what is new from it. */
export function summaryRange({ source, sourcePath, brought, upTo }: PlannedMerge): Range {
  return { branch: source, path: sourcePath, upTo, isRounded: false, covered: brought, pinned: [], before: null };
}

export function summaryInstruction({ after }: PlannedMerge, instruction: string | undefined): string {
  return mergeInstruction(after, instruction);
}

export interface SummaryAsked {
  readonly instruction?: string | undefined;
  readonly overBudget?: boolean | undefined;
  readonly clientRequestId?: string | undefined;
}

/** What the source's model makes of what is new there, as a turn beside its conversation: recorded and paid for. */
export async function summariseSource(
  env: Environment,
  planned: PlannedMerge,
  { instruction, overBudget, clientRequestId }: SummaryAsked,
  signal: AbortSignal,
): Promise<{ readonly node: TreeNode; readonly call: Call }> {
  const { projectId, envelope } = planned.source;
  const { keyProblem } = env.providers.get(envelope.provider);
  if (keyProblem !== null) throw new RequestError(keyProblem.code, keyProblem.message);
  const verdict = await budgetFor(env, projectId, envelope, overBudget);
  if (verdict !== null && verdict.refusedBy !== null) throw new OverBudgetError(verdict.refusedBy);
  const asked = summaryInstruction(planned, instruction);
  // What a provider makes by itself stands for the whole conversation, and cannot be told what is known already.
  const written = await writeSummary(env, summaryRange(planned), asked, { signal, clientRequestId, ways: ['model'] });
  if (!('call' in written))
    throw new RequestError('summary_failed', 'The summary that this request asked for is still being written.');
  const [node] = await env.store.getNodes(projectId, [written.id]);
  if (node === undefined) throw new RequestError('summary_failed', 'The summary was deleted before it could be used.');
  return { node, call: written.call };
}
