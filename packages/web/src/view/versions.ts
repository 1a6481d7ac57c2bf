import type { BranchView, NodeView } from '@bough/api/client';

/** One of several messages in the same place: stored, or a reply that is still being made on its branch. */
export type Version =
  | { readonly kind: 'stored'; readonly nodeId: string }
  | { readonly kind: 'running'; readonly turnId: string; readonly branch: string };

type RunningBranch = Pick<BranchView, 'name' | 'tipId' | 'runningTurnId'>;

/**
 * The replies to a message that nothing is stored of yet: as long as that is so, their branch ends with the message
 * that they answer.
 */
export function repliesUnderWay(userId: string | null, branches: readonly RunningBranch[]): readonly Version[] {
  if (userId === null) return [];
  return branches.flatMap(({ name, tipId, runningTurnId }) =>
    tipId === userId && runningTurnId !== null
      ? [{ kind: 'running' as const, turnId: runningTurnId, branch: name }]
      : [],
  );
}

/** All of them: stored ones in the order in which they were made, then those that are being made. */
export function versionsOf(
  siblingIds: readonly string[],
  userId: string | null,
  branches: readonly RunningBranch[],
): readonly Version[] {
  return [...siblingIds.map((nodeId) => ({ kind: 'stored' as const, nodeId })), ...repliesUnderWay(userId, branches)];
}

export type VersionState = 'running' | 'complete' | 'interrupted' | 'error';

/** How far each one is; one that is not known counts as complete. */
export function statesOf(
  versions: readonly Version[],
  nodes: readonly Pick<NodeView, 'id' | 'isError' | 'interrupted'>[],
): readonly VersionState[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return versions.map((version) => {
    if (version.kind === 'running') return 'running';
    const node = byId.get(version.nodeId);
    if (node?.isError === true) return 'error';
    return node?.interrupted === true ? 'interrupted' : 'complete';
  });
}
