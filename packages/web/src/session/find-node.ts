import { branchTo, isOutline } from '../view/graph-path.ts';
import { client } from './client.ts';
import { graphQuery, queryClient } from './queries.ts';

/**
 * The name of a branch that leads to a message, for an address whose branch does not, or no longer exists; null if
 * there is none.
 */
export async function branchLeadingTo(projectId: string, nodeId: string): Promise<string | null> {
  const known = await queryClient.fetchQuery(graphQuery(projectId));
  const graph = isOutline(known) ? await client.graph(projectId, { open: nodeId }) : known;
  return branchTo(graph, nodeId, { id: '' })?.name ?? null;
}
