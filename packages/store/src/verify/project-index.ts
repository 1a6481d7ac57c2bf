import type { Branch, Call, NodeId, Project, TreeNode, Turn, TurnId } from '@bough/core';
import { isToolUseBlock } from '@bough/core';

/** A node without its text: what the structural checks need, for a project of any size. */
export interface IndexedNode {
  readonly id: NodeId;
  readonly parentId: NodeId | null;
  readonly turnId: TurnId | null;
  readonly createdOnBranch: TreeNode['createdOnBranch'];
  readonly role: TreeNode['role'];
  readonly isError: boolean;
  readonly toolCallId: string | null;
  readonly toolCalls: readonly string[];
}

export interface ProjectIndex {
  readonly project: Project;
  readonly nodes: Map<NodeId, IndexedNode>;
  readonly children: Map<NodeId | null, IndexedNode[]>;
  readonly branches: Branch[];
  readonly turns: Map<TurnId, Turn>;
  readonly calls: Call[];
}

export function createIndex(project: Project): ProjectIndex {
  return { project, nodes: new Map(), children: new Map(), branches: [], turns: new Map(), calls: [] };
}

export function addNode(index: ProjectIndex, node: TreeNode): void {
  const { id, parentId, turnId, createdOnBranch, role, isError, toolCallId, contentBlocks } = node;
  const toolCalls = contentBlocks.filter(isToolUseBlock).map((block) => block.id);
  const indexed = { id, parentId, turnId, createdOnBranch, role, isError, toolCallId, toolCalls };
  index.nodes.set(id, indexed);
  const siblings = index.children.get(parentId);
  if (siblings) siblings.push(indexed);
  else index.children.set(parentId, [indexed]);
}

export const childrenOf = (index: ProjectIndex, id: NodeId): readonly IndexedNode[] => index.children.get(id) ?? [];
