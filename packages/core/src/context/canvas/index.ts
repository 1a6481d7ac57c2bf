import { isCanvasBlock, isNonEmpty } from '../../blocks/index.ts';
import type { TreeNode } from '../../entities/index.ts';
import { memoized } from '../../memo/index.ts';

/**
 * The path without the versions of the canvas, as if they had never been stored: only what is told about them goes to a
 * model. A node that holds nothing else is not on the path any more.
 */
export function withoutCanvas(path: readonly TreeNode[]): readonly TreeNode[] {
  if (!path.some(holdsCanvas)) return path;
  return path.filter((node) => !isUnsentCanvas(node)).map((node) => (holdsCanvas(node) ? stripped(node) : node));
}

/** A version that no model is told about. */
function isUnsentCanvas({ contentBlocks }: TreeNode): boolean {
  return isNonEmpty(contentBlocks) && contentBlocks.every(isCanvasBlock);
}

const holdsCanvas = ({ role, contentBlocks }: TreeNode): boolean =>
  (role === 'user' || role === 'tool') && contentBlocks.some(isCanvasBlock);

/** One object per node, so that whatever is computed from it is computed once. */
const stripped = memoized((node: TreeNode): TreeNode => ({
  ...node,
  contentBlocks: node.contentBlocks.filter((block) => !isCanvasBlock(block)),
}));
