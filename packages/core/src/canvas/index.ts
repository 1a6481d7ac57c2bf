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
  const [brought, given] = [mergedInto(mine, yours), mergedInto(yours, mine)];
  // Merged there and back: what was given since it was brought holds it, and what they have in common is newer.
  if (brought !== null && given !== null) return given.at >= brought.into ? given.version : brought.version;
  if (brought !== null || given !== null) return (brought ?? given)?.version ?? null;
  const known = new Set(mine.map(({ nodeId }) => nodeId));
  return yours.findLast(({ nodeId }) => known.has(nodeId)) ?? null;
}

interface Merged {
  readonly version: CanvasVersion;
  /** The place of the version among those of its own branch. */
  readonly at: number;
  /** The place of the version that merged it first, among those of the other one. */
  readonly into: number;
}

/** The newest version of one branch that the other has merged since they parted. */
function mergedInto(into: readonly CanvasVersion[], from: readonly CanvasVersion[]): Merged | null {
  const shared = new Set(from.map(({ nodeId }) => nodeId));
  const places = new Map<string, number>();
  for (const [place, { nodeId, mergedFrom }] of into.entries())
    if (mergedFrom !== undefined && !shared.has(nodeId) && !places.has(mergedFrom)) places.set(mergedFrom, place);
  const at = from.findLastIndex(({ nodeId }) => places.has(nodeId));
  const version = from[at];
  return version === undefined ? null : { version, at, into: places.get(version.nodeId) ?? 0 };
}
