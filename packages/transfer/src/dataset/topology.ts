import type { Branch, BranchId, NodeId } from '@bough/core';
import type { Graph, GraphNode } from '@bough/store';

/** A tree without its contents, in one order whatever the store. */
export interface Topology {
  readonly node: (id: NodeId) => GraphNode | undefined;
  readonly parent: (id: NodeId) => GraphNode | undefined;
  /** Depth first, parents before children: what is read in this order is read once. */
  readonly ordered: readonly GraphNode[];
  readonly place: (id: NodeId) => number;
  /** From the root to the node. */
  readonly path: (id: NodeId) => readonly NodeId[];
  /** A message of a model with everything that belongs to it: calls, their results, and what was said after them. */
  readonly reply: (start: GraphNode) => readonly GraphNode[];
  /** The branch whose envelope a node was made with, as far as that can still be told. */
  readonly branchOf: (id: NodeId) => Branch | undefined;
}

const NONE: readonly GraphNode[] = [];

export function topologyOf({ nodes, branches }: Graph): Topology {
  const byId = new Map<NodeId, GraphNode>(nodes.map((node) => [node.id, node]));
  const children = new Map<NodeId | null, GraphNode[]>();
  for (const node of nodes) {
    const parent = node.parentId !== null && byId.has(node.parentId) ? node.parentId : null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [node]);
    else siblings.push(node);
  }
  for (const siblings of children.values()) siblings.sort(oldestFirst);
  const ordered: GraphNode[] = [];
  const waiting = [...(children.get(null) ?? NONE)].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    ordered.push(node);
    // One by one: a message may have more replies than a call may have arguments.
    for (const child of [...(children.get(node.id) ?? NONE)].reverse()) waiting.push(child);
  }
  const places = new Map(ordered.map(({ id }, place) => [id, place]));
  const branchById = new Map<BranchId, Branch>(branches.map((branch) => [branch.id, branch]));
  const parent = (id: NodeId): GraphNode | undefined => {
    const above = byId.get(id)?.parentId ?? null;
    return above === null ? undefined : byId.get(above);
  };
  return {
    node: (id) => byId.get(id),
    parent,
    ordered,
    place: (id) => places.get(id) ?? -1,
    path: (id) => {
      const path: NodeId[] = [];
      for (let node = byId.get(id); node !== undefined; node = parent(node.id)) path.push(node.id);
      return path.reverse();
    },
    reply: (start) => {
      const reply = [start];
      for (let next: GraphNode | undefined = start; next !== undefined;) {
        next = children
          .get(next.id)
          ?.find(({ role, turnId }) => (role === 'assistant' || role === 'tool') && turnId === start.turnId);
        if (next !== undefined) reply.push(next);
      }
      return reply;
    },
    branchOf: (id) => {
      for (let node = byId.get(id); node !== undefined; node = parent(node.id)) {
        const branch = node.createdOnBranch === null ? undefined : branchById.get(node.createdOnBranch);
        if (branch !== undefined) return branch;
      }
      return undefined;
    },
  };
}

const oldestFirst = (a: GraphNode, b: GraphNode): number => byText(a.createdAt, b.createdAt) || byText(a.id, b.id);

const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
