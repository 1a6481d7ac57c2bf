import type { NodeId, TreeNode } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { NodeSummary } from '../../on-disk/node-summary.ts';
import { summaryOf } from '../../on-disk/node-summary.ts';

/**
 * A `nodes.jsonl` as it is now. When lines are added to it, the same value moves on to the new blob: the nodes in it
 * keep their places, and a long conversation is read from one object instead of one per node.
 */
export interface PathFile {
  blob: string;
  length: number;
  /** Whether every ancestor's line is at the same place here as in the file where the ancestor was first found. */
  readonly aligned: boolean;
}

/** Everything about a node except its content, which stays in its file. */
export interface IndexedNode extends NodeSummary {
  /** The order of storage: by `order`, and where that is equal (old lines have none) by `found`. */
  readonly order: number;
  readonly found: number;
  /** Written by ResearchTree. */
  readonly old: boolean;
  readonly file: PathFile;
  /** The line's bytes in the file, without its newline. */
  readonly start: number;
  readonly end: number;
}

export interface NodeIndex {
  readonly get: (id: NodeId) => IndexedNode;
  readonly find: (id: NodeId) => IndexedNode | undefined;
  /** The node with a trail that was stored last. */
  readonly findTrail: (trail: string) => IndexedNode | undefined;
  /** Every trail that a node has, in the order in which they were added. */
  readonly trails: () => readonly string[];
  readonly all: () => IndexedNode[];
  readonly children: (id: NodeId | null) => readonly IndexedNode[];
  /** From the root to the node. */
  readonly path: (id: NodeId) => readonly IndexedNode[];
  /** The node and everything below it, parents first. */
  readonly subtree: (id: NodeId) => readonly IndexedNode[];
  readonly isAbove: (ancestor: NodeId | null, node: NodeId | null) => boolean;
  readonly add: (node: IndexedNode) => void;
  readonly nextOrder: () => number;
}

export function createNodeIndex(nodes: Iterable<IndexedNode> = []): NodeIndex {
  const byId = new Map<NodeId, IndexedNode>();
  const children = new Map<NodeId | null, IndexedNode[]>();
  const byTrail = new Map<string, IndexedNode>();
  const trails: string[] = [];
  let highest = -1;

  const add = (node: IndexedNode): void => {
    byId.set(node.id, node);
    highest = Math.max(highest, node.order);
    if (node.trail !== null) {
      if (!byTrail.has(node.trail)) trails.push(node.trail);
      byTrail.set(node.trail, node);
    }
    const siblings = children.get(node.parentId);
    if (siblings) siblings.push(node);
    else children.set(node.parentId, [node]);
  };
  const get = (id: NodeId): IndexedNode => {
    const node = byId.get(id);
    if (node === undefined) throw new UnknownIdError('node', id);
    return node;
  };
  const path = (id: NodeId): readonly IndexedNode[] => {
    const found: IndexedNode[] = [];
    for (let current: NodeId | null = id; current !== null; current = get(current).parentId) found.push(get(current));
    return found.reverse();
  };
  const subtree = (id: NodeId): readonly IndexedNode[] => {
    const found = [get(id)];
    for (let next = 0; next < found.length; next += 1) found.push(...(children.get(found[next]?.id ?? null) ?? []));
    return found;
  };

  for (const node of [...nodes].sort(inOrder)) add(node);
  return {
    get,
    find: (id) => byId.get(id),
    findTrail: (trail) => byTrail.get(trail),
    trails: () => trails,
    all: () => [...byId.values()],
    children: (id) => children.get(id) ?? [],
    path,
    subtree,
    isAbove: (ancestor, node) => {
      if (ancestor === null) return true;
      for (let current = node; current !== null; current = get(current).parentId) if (current === ancestor) return true;
      return false;
    },
    add,
    nextOrder: () => highest + 1,
  };
}

function inOrder(a: IndexedNode, b: IndexedNode): number {
  return a.order - b.order || a.found - b.found;
}

/** What the index keeps of a node. */
export function indexed(
  node: TreeNode,
  place: Pick<IndexedNode, 'order' | 'found' | 'old' | 'file' | 'start' | 'end'>,
): IndexedNode {
  return { ...summaryOf(node), ...place };
}

/** The index's order of nodes, for lists assembled from several of its parts. */
export const byStorage = inOrder;
