import type { ProjectId } from '@bough/core';
import type { ModelSpending, SpendingQuery, Store } from '@bough/store';
import type { Budget, BudgetScope } from './budget.ts';
import { EACH, isAbout, periodOf } from './budget.ts';
import type { BudgetState } from './state.ts';
import { stateOf } from './state.ts';

export * from './budget.ts';
export type * from './state.ts';
export * from './words.ts';

/** A call that is about to be made. */
export interface BudgetedCall extends BudgetScope {
  readonly model: string;
  /** Whether it is known what the model costs. */
  readonly isPriced: boolean;
}

export interface BudgetVerdict {
  /** Set where the call must not be made. */
  readonly refusedBy: BudgetState | null;
  /** What whoever asks should know: budgets that are nearly used up, or that cannot count everything. */
  readonly told: readonly BudgetState[];
}

export interface BudgetEvent {
  readonly type: 'budget';
  readonly budget: string;
  /** `exceeded`: somebody went on deliberately. */
  readonly outcome: 'warned' | 'refused' | 'exceeded';
}

export interface Budgets {
  /** Whether a call may be made. `mayExceed`: somebody said so, knowing that a budget is used up. */
  readonly admit: (call: BudgetedCall, mayExceed?: boolean) => Promise<BudgetVerdict>;
  /** All of them; one that is about each project or client has a state for each that used anything. */
  readonly list: () => Promise<readonly BudgetState[]>;
  /** Those that calls of this project and client count for. */
  readonly listFor: (scope: BudgetScope) => Promise<readonly BudgetState[]>;
}

export interface BudgetsEnvironment {
  readonly store: Pick<Store, 'spending'>;
  readonly now: () => Date;
  /** As they are set at the moment. */
  readonly budgets: () => readonly Budget[];
  readonly observe: (event: BudgetEvent) => void;
}

const NOTHING: BudgetVerdict = { refusedBy: null, told: [] };

/**
 * What was used is read from the store each time: it is right after a restart, and for every server that shares it.
 * What runs at the moment is not in it; calls that are made at the same time may go beyond a limit together.
 */
export function createBudgets({ store, now, budgets, observe }: BudgetsEnvironment): Budgets {
  const listFor = (scope: BudgetScope): Promise<readonly BudgetState[]> =>
    Promise.all(
      budgets()
        .filter((budget) => isAbout(budget, scope))
        .map((budget) => stateFor(budget, scope)),
    );

  async function stateFor(budget: Budget, { project, client }: BudgetScope): Promise<BudgetState> {
    const of = { project: budget.project === null ? null : project, client: budget.client === null ? null : client };
    const period = periodOf(budget.per, now());
    return stateOf(budget, period, of, await store.spending(queryOf(period.from, of)));
  }

  async function everyState(budget: Budget): Promise<readonly BudgetState[]> {
    const period = periodOf(budget.per, now());
    const of = { project: named(budget.project), client: named(budget.client) };
    const by = (['project', 'client'] as const).filter((what) => budget[what] === EACH);
    const spent = await store.spending({ ...queryOf(period.from, of), by });
    if (by.length === 0) return [stateOf(budget, period, of, spent)];
    const groups = new Map<string, ModelSpending[]>();
    for (const each of spent) {
      const key = JSON.stringify([each.project, each.client]);
      groups.set(key, [...(groups.get(key) ?? []), each]);
    }
    const states = [...groups.values()].map((group) => {
      const [first] = group;
      const one = { project: first?.project ?? of.project, client: first?.client ?? of.client };
      return stateOf(budget, period, one, group);
    });
    return states.toSorted((a, b) => b.used - a.used);
  }

  return {
    admit: async ({ model, isPriced, ...scope }, mayExceed = false) => {
      if (budgets().length === 0) return NOTHING;
      const states = (await listFor(scope)).map((state) => (isPriced ? state : withUnpriced(state, model)));
      const refusedBy = mayExceed ? null : (states.find(({ level }) => level === 'over') ?? null);
      const told = states.filter(({ level, unpriced, uncounted }) => level !== 'ok' || unpriced.length + uncounted > 0);
      for (const { budget, level } of refusedBy === null ? told : [refusedBy])
        if (level !== 'ok') observe({ type: 'budget', budget: budget.name, outcome: outcomeOf(level, refusedBy) });
      return { refusedBy, told };
    },
    list: async () => (await Promise.all(budgets().map(everyState))).flat(),
    listFor,
  };
}

function outcomeOf(level: 'warn' | 'over', refusedBy: BudgetState | null): BudgetEvent['outcome'] {
  if (refusedBy !== null) return 'refused';
  return level === 'warn' ? 'warned' : 'exceeded';
}

/** The next call of a model without a price is not in the sum either. */
function withUnpriced(state: BudgetState, model: string): BudgetState {
  if (state.budget.unit === 'tokens' || state.unpriced.includes(model)) return state;
  return { ...state, unpriced: [...state.unpriced, model] };
}

const named = <Id extends string>(of: Id | typeof EACH | null): Id | null => (of === EACH ? null : of);

function queryOf(
  from: string | null,
  { project, client }: { readonly project: ProjectId | null; readonly client: string | null },
): SpendingQuery {
  return {
    ...(from === null ? {} : { from }),
    ...(project === null ? {} : { project }),
    ...(client === null ? {} : { client }),
  };
}
