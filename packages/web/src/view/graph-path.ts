import type { BranchView, GraphView } from '@bough/api/client';

type Parents = ReadonlyMap<string, string | null>;

export function parentsOf(nodes: GraphView['nodes']): Parents {
  return new Map(nodes.map((node) => [node.id, node.parentId]));
}

/** The nodes from a tip up to the root. */
export function pathTo(tipId: string | null, parents: Parents): ReadonlySet<string> {
  const path = new Set<string>();
  for (let id = tipId; id !== null && !path.has(id); id = parents.get(id) ?? null) path.add(id);
  return path;
}

/** Whether some of the nodes stand for many, and others are left out: a large tree comes as its outline. */
export function isOutline({ nodes, total }: Pick<GraphView, 'nodes' | 'total'>): boolean {
  return nodes.length < total;
}

/** Whether the outline of a large tree does not have all of these: then it must be asked for with them. */
export function leavesOut(graph: GraphView, ids: readonly (string | null)[]): boolean {
  if (!isOutline(graph)) return false;
  const shown = new Set(graph.nodes.map(({ id }) => id));
  return ids.some((id) => id !== null && !shown.has(id));
}

/**
 * A branch that leads to a node: the current one if it does, else the one that the node was made on, else any. Null if
 * none does.
 */
export function branchTo(graph: GraphView, nodeId: string, current: Pick<BranchView, 'id'>): BranchView | null {
  const parents = parentsOf(graph.nodes);
  if (isOutline(graph)) {
    const { leadsTo = null } = graph.nodes.find((node) => node.id === nodeId) ?? {};
    const own = graph.branches.find((branch) => branch.id === current.id);
    if (own !== undefined && pathTo(own.tipId, parents).has(nodeId)) return own;
    return graph.branches.find((branch) => branch.id === leadsTo) ?? null;
  }
  const madeOn = graph.nodes.find((node) => node.id === nodeId)?.branchId ?? null;
  const rank = (branch: BranchView): number =>
    branch.id === current.id ? 0 : branch.id === madeOn ? 1 : branch.hidden ? 3 : 2;
  const candidates = graph.branches.toSorted((a, b) => rank(a) - rank(b));
  return candidates.find((branch) => pathTo(branch.tipId, parents).has(nodeId)) ?? null;
}

/** How many messages some nodes stand for. */
export function messagesIn(nodes: GraphView['nodes'], ids: ReadonlySet<string>): number {
  return nodes.reduce((count, { id, run = 1 }) => count + (ids.has(id) ? run : 0), 0);
}

/** The messages that two tips share, starting at the root. */
export function sharedBy(left: string | null, right: string | null, parents: Parents): ReadonlySet<string> {
  const other = pathTo(right, parents);
  return new Set([...pathTo(left, parents)].filter((id) => other.has(id)));
}

/** The branches that end at each node. */
export function tipsOf(branches: readonly BranchView[]): ReadonlyMap<string, readonly BranchView[]> {
  const tips = new Map<string, BranchView[]>();
  for (const branch of branches) {
    if (branch.tipId === null) continue;
    const there = tips.get(branch.tipId);
    if (there === undefined) tips.set(branch.tipId, [branch]);
    else there.push(branch);
  }
  return tips;
}
