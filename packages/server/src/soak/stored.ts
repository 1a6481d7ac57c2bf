import type { BranchView, CallView, Client, NodeView, TrashEntryView } from '@bough/api';
import type { TurnStatus } from '@bough/core';

/** What is stored of a project, as any client can read it. */
export interface Stored {
  readonly description: string | null;
  readonly branches: readonly BranchView[];
  readonly nodes: ReadonlyMap<string, NodeView>;
  /** By turn. Turns whose replies are no longer on any branch have none, and their calls are not read. */
  readonly statuses: ReadonlyMap<string, TurnStatus>;
  /** By the node of the reply. */
  readonly calls: ReadonlyMap<string, CallView>;
  /** The nodes that are on a branch. */
  readonly onBranch: ReadonlySet<string>;
  readonly trash: readonly TrashEntryView[];
}

const PAGE = 200;

export async function readStored(client: Client, projectId: string): Promise<Stored> {
  const { project, branches } = await client.getProject(projectId);
  const nodes = new Map<string, NodeView>();
  const statuses = new Map<string, TurnStatus>();
  const calls = new Map<string, CallView>();
  for (const { name, tipId } of branches) {
    if (tipId === null) continue;
    if (!nodes.has(tipId)) for (const node of (await client.getPath(tipId)).nodes) nodes.set(node.id, node);
    let before: string | undefined;
    do {
      const page = await client.history(projectId, {
        ref: name,
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
      });
      for (const group of page.groups) {
        if (group.turnId !== null) statuses.set(group.turnId, group.status);
        for (const call of group.calls) if (call.nodeId !== null) calls.set(call.nodeId, call);
      }
      // Back to the first turn: a long round has more of them than one page.
      before = page.hasMore ? (page.firstNodeId ?? undefined) : undefined;
    } while (before !== undefined);
  }
  const onBranch = new Set(nodes.keys());
  // Regenerated replies are off the branch.
  for (const { id } of (await client.graph(projectId)).nodes)
    if (!nodes.has(id)) nodes.set(id, (await client.getNode(id)).node);
  const { entries: trash } = await client.listTrash(projectId);
  return { description: project.description, branches, nodes, statuses, calls, onBranch, trash };
}
