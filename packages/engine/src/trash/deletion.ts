import type { Branch, NodeId, ProjectId, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Graph, GraphNode } from '@bough/store';
import type { Environment } from '../environment.ts';

type Mode = 'cascade' | 'reparent';

/** What a deletion would do, asked before it is done. */
export interface Deletion {
  /** How many messages would be removed. */
  readonly messages: number;
  /** The branches that would lose some of them, with how many. */
  readonly branches: readonly { readonly id: string; readonly name: string; readonly messages: number }[];
  /** How many messages would be handed to what comes before the removed ones. */
  readonly handedUp: number;
  /** Deleting a branch: messages that no other branch leads to. They stay, in the tree alone. */
  readonly onNoOtherBranch: number;
}

export async function nodeDeletion(env: Environment, project: ProjectId, node: NodeId, mode: Mode): Promise<Deletion> {
  const graph = await env.store.graph(project);
  if (!graph.nodes.some(({ id }) => id === node)) throw new UnknownIdError('node', node);
  return deletionOf(graph, [node], mode);
}

export async function turnDeletion(env: Environment, project: ProjectId, turn: TurnId, mode: Mode): Promise<Deletion> {
  await env.store.getTurn(project, turn);
  const graph = await env.store.graph(project);
  const nodes = graph.nodes.filter(({ turnId }) => turnId === turn).map(({ id }) => id);
  return deletionOf(graph, nodes, mode);
}

export async function branchDeletion(env: Environment, project: ProjectId, ref: string): Promise<Deletion> {
  const { id } = await env.store.getBranch(project, ref);
  const { nodes, branches } = await env.store.graph(project);
  const onPath = pathsOf(nodes);
  const own = branches.filter((branch) => branch.id === id).flatMap((branch) => onPath(branch));
  const others = new Set(branches.filter((branch) => branch.id !== id).flatMap((branch) => onPath(branch)));
  return { messages: 0, branches: [], handedUp: 0, onNoOtherBranch: own.filter((node) => !others.has(node)).length };
}

function deletionOf({ nodes, branches }: Graph, doomed: readonly NodeId[], mode: Mode): Deletion {
  const removed = new Set(doomed);
  if (mode === 'cascade') {
    const children = new Map<NodeId | null, NodeId[]>();
    for (const { id, parentId } of nodes) children.set(parentId, [...(children.get(parentId) ?? []), id]);
    // A set grows while it is iterated: children of children are found too.
    for (const id of removed) for (const child of children.get(id) ?? []) removed.add(child);
  }
  const onPath = pathsOf(nodes);
  const losses = branches.map((branch) => ({
    id: branch.id,
    name: branch.name,
    messages: onPath(branch).filter((id) => removed.has(id)).length,
  }));
  const handedUp = nodes.filter(
    ({ id, parentId }) => parentId !== null && removed.has(parentId) && !removed.has(id),
  ).length;
  return {
    messages: removed.size,
    branches: losses.filter(({ messages }) => messages > 0),
    handedUp,
    onNoOtherBranch: 0,
  };
}

/** The nodes that a branch leads to, from its tip up. */
export function pathsOf(nodes: readonly GraphNode[]): (branch: Pick<Branch, 'tipId'>) => readonly NodeId[] {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  return ({ tipId }) => {
    const path: NodeId[] = [];
    // Only data changed by hand can make a node its own ancestor; without the count this would not end.
    for (let id = tipId; id !== null && path.length <= nodes.length; id = parents.get(id) ?? null) path.push(id);
    return path;
  };
}
