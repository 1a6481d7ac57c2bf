import { ApiError } from '@bough/api/client';
import { useSyncExternalStore } from 'react';

/** A budget that is used up, as the server's refusal tells it. */
export interface UsedUp {
  readonly budget: string;
  readonly used: number;
  readonly limit: number;
  readonly unit: 'usd' | 'tokens';
  readonly endsAt: string | null;
  readonly error: Error;
}

interface Question {
  readonly about: UsedUp;
  readonly answer: (goOn: boolean) => void;
}

/** Refusals that the reader was asked about, and left at that: there is nothing more to tell them. */
const declined = new WeakSet<Error>();
export const wasDeclined = (error: unknown): boolean => error instanceof Error && declined.has(error);

let question: Question | null = null;
const listeners = new Set<() => void>();

function set(next: Question | null): void {
  question = next;
  for (const listener of listeners) listener();
}

/**
 * Does what costs money. Where a budget is used up, the reader is asked, and it is done nevertheless if they say so;
 * otherwise it stays refused.
 */
export async function askingFirst<T>(work: (more: { readonly overBudget?: true }) => Promise<T>): Promise<T> {
  try {
    return await work({});
  } catch (error) {
    const about = usedUpIn(error);
    if (about === null) throw error;
    if (await ask(about)) return work({ overBudget: true });
    declined.add(about.error);
    throw error;
  }
}

async function ask(about: UsedUp): Promise<boolean> {
  // One question at a time: who did not answer the one before has not said yes to it.
  question?.answer(false);
  return new Promise((resolve) => {
    set({
      about,
      answer: (goOn) => {
        set(null);
        resolve(goOn);
      },
    });
  });
}

export function useOverBudgetQuestion(): Question | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => question,
  );
}

function usedUpIn(error: unknown): UsedUp | null {
  if (!(error instanceof ApiError) || error.code !== 'over_budget') return null;
  const { budget, used, limit, unit, endsAt } = error.extra;
  return {
    budget: typeof budget === 'string' ? budget : '',
    used: Number(used),
    limit: Number(limit),
    unit: unit === 'usd' ? 'usd' : 'tokens',
    endsAt: typeof endsAt === 'string' ? endsAt : null,
    error,
  };
}
