import type { BranchView } from '@bough/api/client';
import type { ChoiceChanges } from '../view/choices.ts';
import { client } from './client.ts';
import { refreshProject } from './queries.ts';

/** Leaves messages out of the requests of a branch, pins them into them, or takes either back. */
export async function choose(projectId: string, branch: BranchView, choices: ChoiceChanges): Promise<void> {
  await client.updateBranch(projectId, branch.id, { choices });
  await refreshProject(projectId);
}
