import type { ProjectId } from '@bough/core';
import type { ModelSpending } from '@bough/store';
import type { Budget, Period } from './budget.ts';

/** How far a budget is used up, by whom it is about. */
export interface BudgetState {
  readonly budget: Budget;
  /** Null where the budget does not tell projects apart. */
  readonly project: ProjectId | null;
  /** Null where the budget does not tell clients apart. */
  readonly client: string | null;
  /** In the unit of the budget; what is not known is not in it. */
  readonly used: number;
  readonly level: 'ok' | 'warn' | 'over';
  /** Models whose price is unknown, so that what they cost is not in `used`. Always empty where tokens are counted. */
  readonly unpriced: readonly string[];
  /** Calls whose provider did not say what they used. */
  readonly uncounted: number;
  /** When it begins anew; null: never. */
  readonly endsAt: string | null;
}

export function stateOf(
  budget: Budget,
  { endsAt }: Period,
  of: Pick<BudgetState, 'project' | 'client'>,
  spent: readonly ModelSpending[],
): BudgetState {
  const { unit, limit, warnAt } = budget;
  const used = spent.reduce(
    (sum, { cost, inputTokens, outputTokens }) => sum + (unit === 'usd' ? cost : inputTokens + outputTokens),
    0,
  );
  const unpriced = spent.filter((each) => unit === 'usd' && each.unpriced > 0).map(({ model }) => model);
  return {
    budget,
    ...of,
    used,
    level: used >= limit ? 'over' : used >= limit * warnAt ? 'warn' : 'ok',
    unpriced: [...new Set(unpriced)],
    uncounted: spent.reduce((sum, each) => sum + each.uncounted, 0),
    endsAt,
  };
}
