import type { BranchView, ContextReport } from '@bough/api/client';
import { ApiError } from '@bough/api/client';
import type { ChoiceChanges } from '../view/choices.ts';
import { NEXT_MESSAGE } from '../view/switch-preview.ts';
import { changeBranch } from './branch-changes.ts';
import { client } from './client.ts';

/** Leaves messages out of the requests of a branch, pins them into them, or takes either back. */
export function choose(projectId: string, branch: BranchView, choices: ChoiceChanges): Promise<void> {
  return changeBranch(projectId, branch.id, { choices });
}

/** The same, if the next request stays as it is, as it does with most pins. False: the price has to be told first. */
export async function chooseIfFree(projectId: string, branch: BranchView, choices: ChoiceChanges): Promise<boolean> {
  if (!isFree(await effectOf(projectId, branch, choices))) return false;
  await choose(projectId, branch, choices);
  return true;
}

async function effectOf(
  projectId: string,
  branch: BranchView,
  choices: ChoiceChanges,
): Promise<ContextReport['effect']> {
  try {
    return (await client.contextReport(projectId, { ref: branch.id, choices, from: NEXT_MESSAGE })).effect;
  } catch (error) {
    // The dialog tells what is wrong, and lets people choose nevertheless.
    if (isTooLong(error)) return undefined;
    throw error;
  }
}

/** With these choices the next request would not fit. More of them may follow that make it fit. */
export const isTooLong = (error: unknown): boolean => error instanceof ApiError && error.code === 'context_too_long';

const isFree = (effect: ContextReport['effect']): boolean =>
  effect !== undefined && effect.savedTokens === 0 && effect.rewrittenTokens === 0 && effect.lostReasoning.length === 0;
