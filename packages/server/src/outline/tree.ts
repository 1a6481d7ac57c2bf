import type { Branch, NodeId } from '@bough/core';
import type { Graph, GraphNode } from '@bough/store';

/** The tree of a project as numbers: hundreds of thousands of nodes are walked through several times. */
export interface Tree {
  readonly nodes: readonly GraphNode[];
  readonly branches: readonly Branch[];
  readonly placeOf: ReadonlyMap<NodeId, number>;
  readonly roots: readonly number[];
  /** -1: none. */
  readonly parent: Int32Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly children: Int32Array;
  /** How many nodes a subtree has. */
  readonly size: Int32Array;
}

export function treeOf({ nodes, branches }: Graph): Tree {
  const count = nodes.length;
  const placeOf = new Map(nodes.map(({ id }, place) => [id, place]));
  const parent = new Int32Array(count).fill(-1);
  const firstChild = new Int32Array(count).fill(-1);
  const nextSibling = new Int32Array(count).fill(-1);
  const children = new Int32Array(count);
  const roots: number[] = [];
  // Backwards, so that each node is put before its younger siblings.
  for (let place = count - 1; place >= 0; place -= 1) {
    const parentId = nodes[place]?.parentId ?? null;
    const above = parentId === null ? undefined : placeOf.get(parentId);
    // A node whose parent is missing becomes a root: nothing is ever left out.
    if (above === undefined) {
      roots.unshift(place);
      continue;
    }
    parent[place] = above;
    nextSibling[place] = firstChild[above] ?? -1;
    firstChild[above] = place;
    children[above] = (children[above] ?? 0) + 1;
  }
  return {
    nodes,
    branches,
    placeOf,
    roots,
    parent,
    firstChild,
    nextSibling,
    children,
    size: sizes(count, roots, firstChild, nextSibling, parent),
  };
}

function sizes(
  count: number,
  roots: readonly number[],
  firstChild: Int32Array,
  nextSibling: Int32Array,
  parent: Int32Array,
): Int32Array {
  const order = new Int32Array(count);
  let filled = 0;
  for (const root of roots) order[filled++] = root;
  for (let at = 0; at < filled; at += 1)
    for (let child = firstChild[order[at] ?? 0] ?? -1; child >= 0; child = nextSibling[child] ?? -1)
      order[filled++] = child;
  const size = new Int32Array(count).fill(1);
  for (let at = filled - 1; at >= 0; at -= 1) {
    const place = order[at] ?? 0;
    const above = parent[place] ?? -1;
    if (above >= 0) size[above] = (size[above] ?? 0) + (size[place] ?? 0);
  }
  return size;
}

export function* childrenOf({ firstChild, nextSibling }: Tree, place: number): Generator<number, void> {
  for (let child = firstChild[place] ?? -1; child >= 0; child = nextSibling[child] ?? -1) yield child;
}

/** From the root to a node. */
export function chainTo({ parent }: Tree, place: number): readonly number[] {
  const chain: number[] = [];
  for (let at = place; at >= 0; at = parent[at] ?? -1) chain.push(at);
  return chain.reverse();
}

/** For every node a branch that leads to it, one that is shown where there is one; null where none does. */
export function branchesBelow({ branches, placeOf, parent, nodes }: Tree): readonly (Branch | null)[] {
  const found: (Branch | null)[] = nodes.map(() => null);
  for (const branch of branches.toSorted((a, b) => Number(a.hidden) - Number(b.hidden))) {
    const tip = branch.tipId === null ? undefined : placeOf.get(branch.tipId);
    for (let at = tip ?? -1; at >= 0 && found[at] === null; at = parent[at] ?? -1) found[at] = branch;
  }
  return found;
}
