import type { BlobHash, Branch, Call, NodeId, Project, TreeNode, Turn, TurnId } from '@bough/core';
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
  /** A client of the gateway said it, or was told it: its tools run there. */
  readonly isRecorded: boolean;
}

export interface ProjectIndex {
  readonly project: Project;
  readonly nodes: Map<NodeId, IndexedNode>;
  readonly children: Map<NodeId | null, IndexedNode[]>;
  readonly branches: Branch[];
  readonly turns: Map<TurnId, Turn>;
  readonly calls: Call[];
  /** By `renderingName`. */
  readonly renderings: Set<string>;
  /** That nodes refer to. */
  readonly files: Set<BlobHash>;
}

export function createIndex(project: Project): ProjectIndex {
  return {
    project,
    nodes: new Map(),
    children: new Map(),
    branches: [],
    turns: new Map(),
    calls: [],
    renderings: new Set(),
    files: new Set(),
  };
}

export function addNode(index: ProjectIndex, node: TreeNode): void {
  const { id, parentId, turnId, createdOnBranch, role, isError, toolCallId, contentBlocks, trail } = node;
  const isRecorded = trail !== undefined;
  const toolCalls = contentBlocks.filter(isToolUseBlock).map((block) => block.id);
  const indexed = { id, parentId, turnId, createdOnBranch, role, isError, toolCallId, toolCalls, isRecorded };
  index.nodes.set(id, indexed);
  const siblings = index.children.get(parentId);
  if (siblings) siblings.push(indexed);
  else index.children.set(parentId, [indexed]);
}

export const renderingName = (node: NodeId, key: string): string => JSON.stringify([node, key]);

export const childrenOf = (index: ProjectIndex, id: NodeId): readonly IndexedNode[] => index.children.get(id) ?? [];
