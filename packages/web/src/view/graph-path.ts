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

/**
 * A branch that leads to a node: the current one if it does, else the one that the node was made on, else any. Null if
 * none does.
 */
export function branchTo(graph: GraphView, nodeId: string, current: Pick<BranchView, 'id'>): BranchView | null {
  const parents = parentsOf(graph.nodes);
  const madeOn = graph.nodes.find((node) => node.id === nodeId)?.branchId ?? null;
  const rank = (branch: BranchView): number =>
    branch.id === current.id ? 0 : branch.id === madeOn ? 1 : branch.hidden ? 3 : 2;
  const candidates = graph.branches.toSorted((a, b) => rank(a) - rank(b));
  return candidates.find((branch) => pathTo(branch.tipId, parents).has(nodeId)) ?? null;
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
