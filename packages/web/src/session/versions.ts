import type { NodeView } from '@bough/api/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** All versions of a message, whole. Read again with every turn that begins or ends in the project. */
export const siblingsQuery = (projectId: string, nodeId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'versions', nodeId],
    queryFn: async () => (await client.getSiblings(nodeId)).nodes,
  });

/** The replies to a message, for the time in which none of them is on the branch. */
export const repliesQuery = (projectId: string, userId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'versions', 'replies', userId],
    queryFn: async () => (await client.getChildren(userId)).nodes.filter(({ role }) => role === 'assistant'),
  });

/** A whole version: the message and, if it is a reply, everything that its turn added to it. */
export const versionQuery = (projectId: string, first: NodeView) =>
  queryOptions({
    queryKey: ['project', projectId, 'version', first.id],
    queryFn: () => partsOf(first),
  });

async function partsOf(first: NodeView): Promise<readonly NodeView[]> {
  const parts = [first];
  if (first.role !== 'assistant' || first.turnId === null) return parts;
  for (let last = first; ;) {
    const { nodes } = await client.getChildren(last.id);
    const next = nodes.find(({ turnId, role }) => turnId === first.turnId && role !== 'user');
    if (next === undefined) return parts;
    parts.push(next);
    last = next;
  }
}

/** The newest message below a node: where a branch goes that is moved to it. */
export async function newestBelow(nodeId: string): Promise<string> {
  const { nodes } = await client.getChildren(nodeId);
  const newest = nodes.at(-1);
  return newest === undefined ? nodeId : newestBelow(newest.id);
}
