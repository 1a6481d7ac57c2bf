import type { BranchView } from '@bough/api/client';
import type { ChoiceChanges } from '../view/choices.ts';
import { changeBranch } from './branch-changes.ts';

/** Leaves messages out of the requests of a branch, pins them into them, or takes either back. */
export function choose(projectId: string, branch: BranchView, choices: ChoiceChanges): Promise<void> {
  return changeBranch(projectId, branch.id, { choices });
}
