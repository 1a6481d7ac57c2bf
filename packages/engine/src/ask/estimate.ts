import type { Branch, Lock, ProjectId } from '@bough/core';
import { BoughError } from '@bough/core';
import { budgetFor, OverBudgetError } from '../admit/budget.ts';
import { requireReady } from '../admit/start.ts';
import { planRequest } from '../assemble/index.ts';
import { planFork } from '../branches/index.ts';
import type { Environment } from '../environment.ts';
import type { Estimate } from '../preview/estimate.ts';
import { estimateOf } from '../preview/estimate.ts';
import { nextNode } from '../preview/next-message.ts';
import type { AskPlace, AskRequest, AskTarget } from './targets.ts';
import { forkFor, placeOf } from './targets.ts';

/** What one target would cost, or why it would be refused. */
export interface TargetEstimate {
  readonly n: number;
  /** Null where not even that is known: a preset that does not exist. */
  readonly lock: Lock | null;
  /** Of one answer. Null if it is refused. */
  readonly estimate: Estimate | null;
  readonly refused: BoughError | null;
}

/** The price of a question before it is asked, by the code that asks. Nothing is stored. */
export async function estimateAsk(
  env: Environment,
  projectId: ProjectId,
  request: AskRequest,
): Promise<readonly TargetEstimate[]> {
  const place = await placeOf(env, projectId, request);
  const branches = await env.store.listBranches(projectId);
  const estimates: TargetEstimate[] = [];
  for (const target of request.targets)
    estimates.push(await estimateTarget(env, projectId, { place, target, branches, request }));
  return estimates;
}

interface Planned {
  readonly place: AskPlace;
  readonly target: AskTarget;
  readonly branches: readonly Branch[];
  readonly request: AskRequest;
}

async function estimateTarget(
  env: Environment,
  projectId: ProjectId,
  { place, target, branches, request }: Planned,
): Promise<TargetEstimate> {
  const n = target.n ?? 1;
  let lock: Lock | null = null;
  try {
    const fork = await forkFor(env, place, target);
    const { branch } = await planFork(env, projectId, { ...fork, branches });
    const { envelope } = branch;
    lock = { provider: envelope.provider, model: envelope.model };
    requireReady(env, branch);
    const verdict = await budgetFor(env, projectId, envelope, request.overBudget);
    if (verdict !== null && verdict.refusedBy !== null) throw new OverBudgetError(verdict.refusedBy);
    const { prepared, repeated } = await planRequest(env, {
      projectId,
      tip: place.asked ?? place.parentId,
      added: await questionOf(env, projectId, place),
      branches,
      envelope,
      manner: branch,
    });
    const provider = env.providers.get(envelope.provider);
    const estimate = estimateOf({
      estimatedTokens: prepared.context.estimatedTokens,
      maxTokens: prepared.maxTokens,
      repeated,
      deployment: provider.deployment,
      model: provider.modelInfo(envelope.model),
      now: env.now(),
    });
    return { n, lock, estimate, refused: null };
  } catch (error) {
    if (!(error instanceof BoughError)) throw error;
    return { n, lock, estimate: null, refused: error };
  }
}

/** The question as it will stand, where it is not stored yet. */
async function questionOf(env: Environment, projectId: ProjectId, { asked, parentId, content }: AskPlace) {
  if (asked !== null) return [];
  const [last] = parentId === null ? [] : await env.store.getNodes(projectId, [parentId]);
  return [nextNode(projectId, last, content)];
}
