import type { ContentBlock } from '../blocks/index.ts';
import { deriveTextFromBlocks } from '../derive/index.ts';
import type { BranchId, NodeId, ProjectId, TreeNode, TurnId } from '../entities/index.ts';
import { normalizeOneForComparison, stableStringify } from '../equality/index.ts';
import { sha256 } from '../hash/index.ts';
import { memoized } from '../memo/index.ts';
import { withoutMerge } from '../merge/block.ts';
import type { Message, Role } from '../messages/index.ts';
import { messageOf } from '../messages/index.ts';

/** What a new node needs; everything else has a default or is derived. */
export interface NewNode {
  readonly id: NodeId;
  readonly projectId: ProjectId;
  readonly parentId: NodeId | null;
  readonly role: Role;
  readonly contentBlocks: readonly ContentBlock[];
  readonly createdAt: string;
  readonly turnId?: TurnId | null;
  readonly createdOnBranch?: BranchId | null;
  readonly toolCallId?: string | null;
  readonly toolMs?: number;
  readonly trail?: string;
  readonly provider?: string | null;
  readonly modelUsed?: string | null;
  readonly thinking?: TreeNode['thinking'];
  readonly madeWith?: TreeNode['madeWith'];
  readonly isError?: boolean;
  readonly interrupted?: boolean;
  readonly includeThinkingInContext?: boolean;
}

/** The only way to make a node: its message is checked, its text and match key are derived. */
export function createNode(input: NewNode): TreeNode {
  const message = messageOfNode({
    role: input.role,
    contentBlocks: input.contentBlocks,
    toolCallId: input.toolCallId ?? null,
  });
  return {
    id: input.id,
    projectId: input.projectId,
    parentId: input.parentId,
    turnId: input.turnId ?? null,
    createdOnBranch: input.createdOnBranch ?? null,
    role: input.role,
    contentBlocks: input.contentBlocks,
    content: deriveTextFromBlocks(input.contentBlocks),
    provider: input.provider ?? null,
    modelUsed: input.modelUsed ?? null,
    toolCallId: input.toolCallId ?? null,
    ...(input.toolMs === undefined ? {} : { toolMs: input.toolMs }),
    ...(input.trail === undefined ? {} : { trail: input.trail }),
    thinking: input.thinking ?? null,
    madeWith: input.madeWith ?? null,
    isError: input.isError ?? false,
    interrupted: input.interrupted ?? false,
    includeThinkingInContext: input.includeThinkingInContext ?? false,
    matchKey: matchKeyOf(input.parentId, message),
    createdAt: input.createdAt,
  };
}

/**
 * One message per node, so that whatever is computed from it is computed once. Only the user brings something from
 * another branch: in any other message a block of that name is judged like every block.
 */
export const messageOfNode = memoized((node: Pick<TreeNode, 'role' | 'contentBlocks' | 'toolCallId'>): Message =>
  messageOf(node.role, node.role === 'user' ? withoutMerge(node.contentBlocks) : node.contentBlocks, node.toolCallId),
);

/**
 * Names a message below a parent: equal keys mean equal normalised messages, so that a store can look up a child with
 * an index instead of reading and comparing siblings. A message that normalises to nothing matches only others that do.
 */
export function matchKeyOf(parentId: NodeId | null, message: Message): string {
  return sha256(stableStringify([parentId, normalizeOneForComparison(message)]));
}
