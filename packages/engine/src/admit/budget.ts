import type { Envelope, ProjectId } from '@bough/core';
import { BoughError } from '@bough/core';
import { OWN_CLIENT } from '@bough/store';
import type { BudgetState, BudgetVerdict } from '../budgets/index.ts';
import { overBudgetSentence } from '../budgets/index.ts';
import type { Environment } from '../environment.ts';
import type { Admission } from './start.ts';

/** A budget is used up. Whoever asks may go on nevertheless, if they say so. */
export class OverBudgetError extends BoughError {
  readonly state: BudgetState;

  constructor(state: BudgetState) {
    super('over_budget', overBudgetSentence(state));
    this.state = state;
  }
}

/**
 * Asked before anything of a turn is stored, and not again while it runs: a turn that has begun is answered, and is
 * limited by its number of calls.
 */
export async function requireBudget(env: Environment, admission: Admission): Promise<void> {
  const { projectId, branch, clientRequestId, overBudget } = admission;
  const verdict = await budgetFor(env, projectId, branch.envelope, overBudget);
  if (verdict === null || verdict.refusedBy === null) return;
  // What was admitted before is told again, though it may have used up the budget itself.
  if (clientRequestId !== undefined && (await env.store.turnOfRequest(projectId, clientRequestId)) !== null) return;
  throw new OverBudgetError(verdict.refusedBy);
}

/** Null where nothing is limited. */
export async function budgetFor(
  env: Environment,
  project: ProjectId,
  { provider, model }: Pick<Envelope, 'provider' | 'model'>,
  mayExceed = false,
): Promise<BudgetVerdict | null> {
  if (env.budgets === undefined) return null;
  const isPriced = env.providers.get(provider).modelInfo(model).price !== undefined;
  return env.budgets.admit({ project, client: OWN_CLIENT, model, isPriced }, mayExceed);
}
