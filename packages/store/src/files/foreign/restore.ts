import type { NodeId, ProjectId, TreeNode } from '@bough/core';
import { stableDeepEqual } from '@bough/core';
import type { NodeFile } from '../format/node-file.ts';
import { ownFields, readNodeFile } from '../format/node-file.ts';
import { withOwn } from '../format/own-part.ts';
import type { LoomOriginal } from './loom-documents.ts';

/**
 * The file of a node as Loom wrote it, with what Bough has to add; null where the node is not Loom's, or is no longer
 * what Loom wrote.
 */
export function loomFile(
  original: LoomOriginal | null,
  node: TreeNode,
  childIds: readonly NodeId[],
  project: ProjectId,
): NodeFile | null {
  const before = original?.nodes.get(node.id);
  if (before === undefined) return null;
  const file = { ...before, child_ids: childrenOf(before, childIds) };
  const { node: read } = readNodeFile(node.id, file, project);
  const isSame =
    read.id === node.id &&
    read.parentId === node.parentId &&
    read.role === node.role &&
    read.createdAt === node.createdAt &&
    JSON.stringify(read.contentBlocks) === JSON.stringify(node.contentBlocks);
  if (!isSame) return null;
  const { order: _, ...wanted } = ownFields(node, 0);
  const { order: __, ...there } = ownFields(read, 0);
  const missing = Object.entries(wanted).filter(([field, value]) => !stableDeepEqual(value, there[field] ?? null));
  return missing.length === 0 ? file : withOwn(file, Object.fromEntries(missing));
}

/** Loom's own order first; what came since follows. */
export function childrenOf(before: Readonly<Record<string, unknown>>, childIds: readonly string[]): readonly string[] {
  const now = new Set(childIds);
  const listed: readonly unknown[] = Array.isArray(before['child_ids']) ? before['child_ids'] : [];
  const kept = listed.filter((id): id is string => typeof id === 'string' && now.has(id));
  const known = new Set(kept);
  return [...kept, ...childIds.filter((id) => !known.has(id))];
}
