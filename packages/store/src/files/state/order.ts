import type { NodeId, TreeNode } from '@bough/core';

export interface Unordered {
  readonly node: Pick<TreeNode, 'id' | 'parentId' | 'createdAt'>;
  /** Null for a node that Loom wrote: it keeps no such number. */
  readonly order: number | null;
}

/**
 * The order of storage of a project's nodes, parents before children. Loom's nodes are ordered by their times and come
 * before Bough's, since they were there first, except those that Loom added below one of Bough's, which follow it.
 */
export function inOrderOfStorage<T extends Unordered>(found: readonly T[]): readonly T[] {
  const byId = new Map(found.map((item) => [item.node.id, item]));
  const ranks = new Map<NodeId, Rank>();

  const rankOf = (start: T): Rank => {
    // Up to the first known rank, then down again, without recursion: trees are deeper than the stack.
    const chain: T[] = [];
    const seen = new Set<NodeId>();
    let parent: Rank | undefined;
    for (let item: T | undefined = start; item && !seen.has(item.node.id);) {
      parent = ranks.get(item.node.id);
      if (parent) break;
      seen.add(item.node.id);
      chain.push(item);
      item = item.node.parentId === null ? undefined : byId.get(item.node.parentId);
    }
    for (const item of chain.reverse()) {
      parent = rank(item, parent);
      ranks.set(item.node.id, parent);
    }
    return parent ?? rank(start, undefined);
  };

  return found
    .map((item) => ({ item, rank: rankOf(item) }))
    .sort((a, b) => compareRanks(a.rank, b.rank))
    .map(({ item }) => item);
}

interface Rank {
  /** The number of the node itself, or of the nearest node above it that has one. */
  readonly order: number;
  readonly isLooms: boolean;
  readonly time: number;
  readonly depth: number;
  readonly id: string;
}

function rank(item: Unordered, parent: Rank | undefined): Rank {
  const { id, createdAt } = item.node;
  const depth = parent ? parent.depth + 1 : 0;
  if (item.order !== null) return { order: item.order, isLooms: false, time: 0, depth, id };
  // A clock that ran backwards must not put a child before its parent.
  const own = Date.parse(createdAt);
  const time = Math.max(Number.isNaN(own) ? 0 : own, parent?.time ?? 0);
  return { order: parent?.order ?? 0, isLooms: true, time, depth, id };
}

function compareRanks(a: Rank, b: Rank): number {
  return (
    a.order - b.order ||
    Number(a.isLooms) - Number(b.isLooms) ||
    a.time - b.time ||
    a.depth - b.depth ||
    compareIds(a.id, b.id)
  );
}

/** `node-2` before `node-10`. */
function compareIds(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
