import type { NodeId, TreeNode } from '@bough/core';
import { InvalidMessageError, matchKeyOf, messageOfNode } from '@bough/core';

/**
 * A node under another parent. Its match key includes the parent, so it is recomputed; otherwise an appended history
 * would no longer find the node. A node that is not a valid message (a reply that broke off before its first block) has
 * nothing to match by and keeps its key.
 */
export function reparented(node: TreeNode, parentId: NodeId | null): TreeNode {
  try {
    return { ...node, parentId, matchKey: matchKeyOf(parentId, messageOfNode(node)) };
  } catch (error) {
    if (error instanceof InvalidMessageError) return { ...node, parentId };
    throw error;
  }
}
