import type { NodeId, ProjectId, TreeNode } from '@bough/core';
import { sha256, stableStringify } from '@bough/core';
import type { Store } from '@bough/store';

const AT_ONCE = 500;

/**
 * How many messages their source says differently than when they were imported: somebody edited them there in place.
 * Here nodes never change, and one with the same id would be another message: what was imported stays, which is told.
 */
export async function countRewritten(
  store: Store,
  project: ProjectId,
  given: ReadonlyMap<NodeId, string>,
): Promise<number> {
  const ids = [...given.keys()];
  let count = 0;
  for (let from = 0; from < ids.length; from += AT_ONCE)
    for (const node of await store.getNodes(project, ids.slice(from, from + AT_ONCE)))
      if (given.get(node.id) !== wordingOf(node)) count += 1;
  return count;
}

/** Stands for what a message says; a whole import would not fit into memory. */
export function wordingOf({ role, contentBlocks }: TreeNode): string {
  return sha256(stableStringify([role, contentBlocks])).slice(0, 32);
}
