import type { NodeId, TreeNode } from '../entities/index.ts';
import { BoughError, UnknownIdError } from '../errors/index.ts';
import { matchKeyOf, messageOfNode } from './node.ts';

/** A project's nodes. A value: every operation returns a new tree and leaves the old one as it was. */
export interface Tree {
  readonly nodes: ReadonlyMap<NodeId, TreeNode>;
  /** In order of creation; `null` holds the roots. */
  readonly children: ReadonlyMap<NodeId | null, readonly NodeId[]>;
}

export class InvalidTreeError extends BoughError {
  constructor(problem: string) {
    super('invalid_tree', problem);
  }
}

export const emptyTree: Tree = { nodes: new Map(), children: new Map() };

/** Parents must come before their children, which also rules cycles out. */
export function addNodes(tree: Tree, added: readonly TreeNode[]): Tree {
  const nodes = new Map(tree.nodes);
  const children = new Map(tree.children);
  for (const node of added) {
    if (nodes.has(node.id)) throw new InvalidTreeError(`There already is a node with the id "${node.id}".`);
    if (node.parentId !== null && !nodes.has(node.parentId)) throw new UnknownIdError('node', node.parentId);
    nodes.set(node.id, node);
    children.set(node.parentId, [...(children.get(node.parentId) ?? []), node.id]);
  }
  return { nodes, children };
}

export function getNode(tree: Tree, id: NodeId): TreeNode {
  const node = tree.nodes.get(id);
  if (node === undefined) throw new UnknownIdError('node', id);
  return node;
}

/** From the root to the node. */
export function pathTo(tree: Tree, id: NodeId): readonly TreeNode[] {
  const path: TreeNode[] = [];
  for (let current: NodeId | null = id; current !== null;) {
    const node = getNode(tree, current);
    path.push(node);
    current = node.parentId;
  }
  return path.reverse();
}

export function childrenOf(tree: Tree, id: NodeId | null): readonly TreeNode[] {
  if (id !== null) getNode(tree, id);
  return (tree.children.get(id) ?? []).map((child) => getNode(tree, child));
}

/** The node and those that share its parent, in order of creation. */
export function siblingsOf(tree: Tree, id: NodeId): readonly TreeNode[] {
  return childrenOf(tree, getNode(tree, id).parentId);
}

export interface Deletion {
  readonly tree: Tree;
  readonly removed: readonly NodeId[];
  /** The node's children as they are now, when they were handed to its parent. */
  readonly moved: readonly TreeNode[];
}

/** `cascade` removes the subtree; `reparent` removes the node alone and hands its children to its parent. */
export function deleteNode(tree: Tree, id: NodeId, mode: 'cascade' | 'reparent'): Deletion {
  const node = getNode(tree, id);
  const removed = mode === 'cascade' ? subtreeOf(tree, id) : [id];
  // A match key names the parent, so a child that changes its parent needs a new one.
  const moved =
    mode === 'cascade'
      ? []
      : childrenOf(tree, id).map((child) => ({
          ...child,
          parentId: node.parentId,
          matchKey: matchKeyOf(node.parentId, messageOfNode(child)),
        }));

  const nodes = new Map(tree.nodes);
  const children = new Map(tree.children);
  for (const gone of removed) {
    nodes.delete(gone);
    children.delete(gone);
  }
  for (const child of moved) nodes.set(child.id, child);
  // The children take the place of their parent among its siblings, so that order is kept.
  const place = (children.get(node.parentId) ?? []).flatMap((sibling) =>
    sibling === id ? moved.map((child) => child.id) : [sibling],
  );
  children.set(node.parentId, place);
  return { tree: { nodes, children }, removed, moved };
}

function subtreeOf(tree: Tree, id: NodeId): readonly NodeId[] {
  const found: NodeId[] = [];
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    open.push(...(tree.children.get(next) ?? []).toReversed());
  }
  return found;
}
