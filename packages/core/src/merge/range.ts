import type { NodeId, TreeNode } from '../entities/index.ts';
import { isCanvasNode } from '../canvas/index.ts';
import { mergeIn } from './block.ts';

/** What a merge brings. */
export interface MergeRange {
  /** The last node that the target has or was brought before; null where it has none of the source's. */
  readonly after: TreeNode | null;
  /** What came after it on the source, without what the source got from the target itself. */
  readonly brought: readonly TreeNode[];
}

/**
 * What is new on the source for the target: everything after the fork, and after what earlier merges brought. Those are
 * read from the nodes that they name, not from the branch: a fork of the source has brought the same messages.
 */
export function mergeRange(sourcePath: readonly TreeNode[], targetPath: readonly TreeNode[]): MergeRange {
  const has = new Set<NodeId>();
  for (const { id, contentBlocks } of targetPath) {
    has.add(id);
    const merge = mergeIn(contentBlocks);
    // The last node may have been deleted since: the others still tell that what is above them was brought.
    if (merge !== null) for (const known of [merge.after, merge.upTo, ...merge.nodeIds]) if (known) has.add(known);
  }
  const last = sourcePath.findLastIndex(({ id }) => has.has(id));
  const onTarget = new Set(targetPath.map(({ id }) => id));
  const brought = sourcePath.slice(last + 1).filter(({ contentBlocks }) => {
    const merge = mergeIn(contentBlocks);
    return merge === null || !onTarget.has(merge.upTo);
  });
  return { after: sourcePath[last] ?? null, brought };
}

/**
 * Whether a message says something that can be brought: calls, results and errors are nothing to another branch, and
 * versions of the canvas are brought as such.
 */
export const isMergeable = (node: TreeNode): boolean =>
  (node.role === 'user' || node.role === 'assistant') &&
  !node.isError &&
  !isCanvasNode(node) &&
  node.content.trim() !== '';

export function lastAnswer(path: readonly TreeNode[]): TreeNode | null {
  return path.findLast((node) => node.role === 'assistant' && isMergeable(node)) ?? null;
}
