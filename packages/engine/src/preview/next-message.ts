import type { Choices, ContentBlock, ProjectId, TreeNode } from '@bough/core';
import { createNode, isCanvasNode, nodeId, withoutLeftOut } from '@bough/core';

/** The message that is not written yet, for a preview; nothing where one is already waiting for its answer. */
export function nextMessage(
  projectId: ProjectId,
  path: readonly TreeNode[],
  choices: Choices | undefined,
): readonly TreeNode[] {
  const message = placeholder(withoutLeftOut(path, choices));
  return message === null ? [] : [nextNode(projectId, path.at(-1), message)];
}

/**
 * Stands in for the message that is not written yet: no request ends with a reply. Null where a message is already
 * waiting for its answer.
 */
export function placeholder(path: readonly TreeNode[]): readonly ContentBlock[] | null {
  const last = path.findLast((node) => node.role !== 'system' && !isCanvasNode(node));
  return last === undefined || last.role === 'assistant' ? [{ type: 'text', text: '…' }] : null;
}

export function nextNode(
  projectId: ProjectId,
  last: TreeNode | undefined,
  contentBlocks: readonly ContentBlock[],
): TreeNode {
  return createNode({
    id: nodeId('next-message'),
    projectId,
    parentId: last?.id ?? null,
    role: 'user',
    contentBlocks,
    createdAt: last?.createdAt ?? '',
  });
}
