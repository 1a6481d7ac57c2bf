import { client } from './client.ts';
import { refreshProject } from './queries.ts';

type BranchChange = Parameters<typeof client.updateBranch>[2];

/** The newest change of each branch that the server has not answered yet. */
const onTheWay = new Map<string, Promise<unknown>>();

/** Changes a branch and shows it. One change after the other: of two quick choices, the later one counts. */
export async function changeBranch(projectId: string, branchId: string, change: BranchChange): Promise<void> {
  const before = onTheWay.get(branchId) ?? Promise.resolve();
  const mine = before.catch(() => undefined).then(() => client.updateBranch(projectId, branchId, change));
  onTheWay.set(branchId, mine);
  try {
    await mine;
  } finally {
    if (onTheWay.get(branchId) === mine) onTheWay.delete(branchId);
  }
  await refreshProject(projectId);
}

/**
 * Waits until the server has what was chosen. A message that overtook it would be answered as the branch was before,
 * without the thinking or the tools that are on the screen. If the choice is refused, this is, too.
 */
export async function branchChanged(branchId: string): Promise<void> {
  await onTheWay.get(branchId);
}
