import type { Budget } from './budget.ts';
import type { BudgetState } from './state.ts';

// What is said about budgets, in words that clients show to people.

/** Why a request was refused, and what to do about it. */
export function overBudgetSentence(state: BudgetState): string {
  const { name, from } = state.budget;
  const when = state.endsAt === null ? 'It does not begin anew.' : `It begins anew at ${minute(state.endsAt)} UTC.`;
  const where = from === 'file' ? 'in the configuration file of Bough' : 'in the settings of Bough, under Budgets';
  return `The budget "${name}" is used up: ${usedOf(state)} ${scopeOf(state)}. ${when} It can be raised ${where}.`;
}

/** For a header: short, and nothing but ASCII. */
export function budgetNote(state: BudgetState): string {
  const { budget, used, level, endsAt, unpriced, uncounted } = state;
  const share = `${Math.floor((used / budget.limit) * 100)}%`;
  const until = endsAt === null ? '' : `, until ${endsAt}`;
  const notes = [
    ...(level === 'ok' ? [] : [`${budget.name} ${share} (${usedOf(state)}${until})`]),
    ...(unpriced.length === 0 ? [] : [`${budget.name} without unpriced ${unpriced.join(' ')}`]),
    ...(uncounted === 0 ? [] : [`${budget.name} without ${uncounted} uncounted`]),
  ];
  return notes.join('; ').replaceAll(/[^\x20-\x7e]/g, '?');
}

function usedOf({ budget, used }: BudgetState): string {
  return `${amount(used, budget)} of ${amount(budget.limit, budget)} ${budget.unit === 'usd' ? 'USD' : 'tokens'}`;
}

const DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
/** A call often costs less than a cent. */
const SMALL = { minimumFractionDigits: 2, maximumFractionDigits: 6 };

function amount(value: number, { unit, limit }: Budget): string {
  if (unit === 'tokens') return Math.round(value).toLocaleString('en');
  return value.toLocaleString('en', limit < 1 ? SMALL : DECIMALS);
}

const WHEN = { day: 'today', month: 'this month', total: 'in all' } as const;

function scopeOf({ budget, project, client }: BudgetState): string {
  const of = [project === null ? [] : ['in this project'], client === null ? [] : [`by ${client}`]].flat();
  return [WHEN[budget.per], ...of].join(' ');
}

const minute = (time: string): string => time.slice(0, 16).replace('T', ' ');
