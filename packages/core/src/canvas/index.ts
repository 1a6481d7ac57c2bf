import type { CanvasBlock } from '../blocks/index.ts';
import { isCanvasBlock } from '../blocks/index.ts';
import type { NodeId, TreeNode } from '../entities/index.ts';

export * from './merge3.ts';
export * from './passage.ts';
export * from './told.ts';

/** One version of the document on a path. */
export interface CanvasVersion extends CanvasBlock {
  /** The node that holds it: what names the version. */
  readonly nodeId: NodeId;
  readonly createdAt: string;
}

/** Every version is stored whole, and a model reads it as one result of a tool. */
export const CANVAS_CHARACTERS = 100_000;

/** The versions on a path, oldest first. */
export function canvasVersions(path: readonly TreeNode[]): readonly CanvasVersion[] {
  return path.flatMap(({ id, createdAt, contentBlocks }) => {
    const block = contentBlocks.findLast(isCanvasBlock);
    return block === undefined ? [] : [{ ...block, nodeId: id, createdAt }];
  });
}

/** The version that counts at the end of a path; null where nobody has written one. */
export function canvasAt(path: readonly TreeNode[]): CanvasVersion | null {
  return canvasVersions(path).at(-1) ?? null;
}

/** Whether a node is nothing but a version that a person wrote: nobody said anything, and nobody is to answer. */
export function isCanvasNode({ role, contentBlocks }: Pick<TreeNode, 'role' | 'contentBlocks'>): boolean {
  return role === 'user' && contentBlocks.some(isCanvasBlock);
}

/**
 * What the versions of two branches have in common: the newest one before they parted, or one that was merged from one
 * into the other since. Null if there was none.
 */
export function canvasBase(ours: readonly TreeNode[], theirs: readonly TreeNode[]): CanvasVersion | null {
  const [mine, yours] = [canvasVersions(ours), canvasVersions(theirs)];
  const merged = mergedInto(mine, yours) ?? mergedInto(yours, mine);
  if (merged !== null) return merged;
  const known = new Set(mine.map(({ nodeId }) => nodeId));
  return yours.findLast(({ nodeId }) => known.has(nodeId)) ?? null;
}

/** The newest version of one branch that the other has merged since they parted. */
function mergedInto(into: readonly CanvasVersion[], from: readonly CanvasVersion[]): CanvasVersion | null {
  const shared = new Set(from.map(({ nodeId }) => nodeId));
  const own = into.filter(({ nodeId }) => !shared.has(nodeId));
  const ids = own.flatMap(({ mergedFrom }) => (mergedFrom === undefined ? [] : [mergedFrom]));
  return from.findLast(({ nodeId }) => ids.some((id) => id === nodeId)) ?? null;
}
