import type { NodeId, ProjectId, TreeNode } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Store } from '@bough/store';

/** How many messages are asked for at once. */
const TOGETHER = 200;

/**
 * Reads paths one after another. What a path has in common with the one before is kept, and nothing else: in the order
 * of the tree each message is read once, and no more than one path is in memory.
 */
export function createPathReader(store: Pick<Store, 'getNodes'>, project: ProjectId) {
  let path: readonly TreeNode[] = [];

  const fetched = async (ids: readonly NodeId[]): Promise<readonly TreeNode[]> => {
    const found: TreeNode[] = [];
    for (let from = 0; from < ids.length; from += TOGETHER) {
      const asked = ids.slice(from, from + TOGETHER);
      const nodes = new Map((await store.getNodes(project, asked)).map((node) => [node.id, node]));
      for (const id of asked) {
        const node = nodes.get(id);
        if (node === undefined) throw new UnknownIdError('node', id);
        found.push(node);
      }
    }
    return found;
  };

  return {
    read: async (ids: readonly NodeId[]): Promise<readonly TreeNode[]> => {
      let common = 0;
      while (common < path.length && path[common]?.id === ids[common]) common += 1;
      path = [...path.slice(0, common), ...(await fetched(ids.slice(common)))];
      return path;
    },
    /** Beside the path, which stays as it is. */
    aside: fetched,
  };
}
