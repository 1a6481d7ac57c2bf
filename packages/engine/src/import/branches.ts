import type { Branch, BranchId, NodeId, ProjectId, TreeNode, Turn, TurnId } from '@bough/core';
import { branchId, freeName, sha256 } from '@bough/core';
import type { Store } from '@bough/store';

/** What a project that grows gets, as far as its branches depend on it. */
export interface NewBranches {
  readonly branches: readonly Branch[];
  readonly turns: ReadonlyMap<TurnId, Turn>;
  readonly nodes: readonly TreeNode[];
}

/**
 * New branches that new turns name: a turn begins on a branch that is there. They begin at the last node of their path
 * that is stored, and advance when the rest is.
 */
export async function beginBranches(
  store: Store,
  { branches: wanted, turns, nodes }: NewBranches,
  stored: readonly Branch[],
  known: ReadonlyMap<NodeId, NodeId | null>,
): Promise<readonly Branch[]> {
  const there = new Set(stored.map(({ id }) => id));
  const used = new Set(nodes.map(({ turnId }) => turnId));
  const named = new Set([...turns.values()].flatMap(({ id, branchId }) => (used.has(id) ? [branchId] : [])));
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  const names = new Set(stored.map(({ name }) => name));
  const begun: Branch[] = [];
  for (const branch of wanted.filter(({ id }) => named.has(id) && !there.has(id))) {
    let tipId = branch.tipId;
    while (tipId !== null && !known.has(tipId)) tipId = parents.get(tipId) ?? null;
    const { forkedFromId } = branch;
    const isKnown = forkedFromId === null || known.has(forkedFromId);
    const made = { ...branch, name: freeName(branch.name, names), tipId, forkedFromId: isKnown ? forkedFromId : tipId };
    names.add(made.name);
    await store.createBranch(made);
    begun.push(made);
  }
  return begun;
}

/** A branch advances only where nobody has continued it differently: its tip must be on the path to the new one. */
export async function placeBranches(
  store: Store,
  project: ProjectId,
  wanted: readonly Branch[],
  stored: readonly Branch[],
  parents: ReadonlyMap<NodeId, NodeId | null>,
  replies: ReadonlySet<NodeId>,
): Promise<boolean> {
  // Before the first reply nobody knows which model a branch is for.
  const hasReply = (tip: NodeId | null): boolean => {
    let at = tip;
    while (at !== null && !replies.has(at)) at = parents.get(at) ?? null;
    return at !== null;
  };
  let changed = false;
  const names = new Set(stored.map(({ name }) => name));
  const tips = new Map(stored.map(({ id, tipId }) => [id, tipId]));
  const stuck: Branch[] = [];
  for (const branch of wanted) {
    const there = stored.find(({ id }) => id === branch.id);
    if (there === undefined) {
      const name = freeName(branch.name, names);
      names.add(name);
      await store.createBranch({ ...branch, name });
      tips.set(branch.id, branch.tipId);
      changed = true;
    } else if (there.tipId === branch.tipId || branch.tipId === null) continue;
    else if (isAbove(there.tipId, branch.tipId, parents)) {
      await store.moveTip(project, there.id, { expected: there.tipId, next: branch.tipId });
      if (!hasReply(there.tipId)) await store.updateBranch(project, there.id, { envelope: branch.envelope });
      tips.set(there.id, branch.tipId);
      changed = true;
    } else stuck.push(branch);
  }
  // Somebody went on here, and so did the source: what is new there gets a branch beside, or nobody would find it.
  for (const branch of stuck) {
    const { tipId } = branch;
    if (tipId === null || [...tips.values()].some((tip) => tip !== null && isAbove(tipId, tip, parents))) continue;
    const id = besideOf(branch.id);
    const beside = stored.find((each) => each.id === id);
    if (beside === undefined) {
      const name = freeName(branch.name, names);
      names.add(name);
      await store.createBranch({ ...branch, id, name });
    } else if (isAbove(beside.tipId, tipId, parents))
      await store.moveTip(project, id, { expected: beside.tipId, next: tipId });
    else continue;
    changed = true;
  }
  return changed;
}

/** The same each time, so that what is imported again goes on where it went. */
function besideOf(id: BranchId): BranchId {
  const hash = sha256(`beside ${id}`);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return branchId([...parts, hash.slice(20, 32)].join('-'));
}

function isAbove(above: NodeId | null, below: NodeId, parents: ReadonlyMap<NodeId, NodeId | null>): boolean {
  let at: NodeId | null = below;
  while (at !== null && at !== above) at = parents.get(at) ?? null;
  return at === above;
}
