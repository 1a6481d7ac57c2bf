import type { NodeId, ProjectId } from '@bough/core';
import type { Graph, Store } from '@bough/store';
import type { Topology } from './topology.ts';

/**
 * The replies that are summaries: those that stand in branches, and those that a merge brought or whose branch is gone.
 * No branch leads to one, so that only such replies are looked up.
 */
export async function summariesIn(
  store: Pick<Store, 'callsOfTurn'>,
  project: ProjectId,
  { nodes, branches }: Graph,
  { parent, node }: Topology,
): Promise<ReadonlySet<NodeId>> {
  const summaries = new Set(branches.flatMap(({ envelope }) => envelope.summaries ?? []));
  const reached = new Set<NodeId>();
  for (const { tipId } of branches) {
    let above = tipId === null ? undefined : node(tipId);
    for (; above !== undefined && !reached.has(above.id); above = parent(above.id)) reached.add(above.id);
  }
  for (const { id, role, turnId } of nodes) {
    if (role !== 'assistant' || turnId === null || reached.has(id) || summaries.has(id)) continue;
    const calls = await store.callsOfTurn(project, turnId);
    if (calls.some(({ nodeId, purpose }) => nodeId === id && purpose === 'summary')) summaries.add(id);
  }
  return summaries;
}
