import type { ProjectId, TreeNode } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Store } from '@bough/store';

/** How many of the conversations that were used last are looked through, and how many ends of each. */
const LATELY = 20;
const NEWEST = 8;

type Readable = Pick<Store, 'findProjects' | 'listBranches' | 'getNodes' | 'callsOfTurn'>;

/**
 * The trail of a reply that OpenAI keeps under this id, and that this process does not remember: another server
 * recorded it, or this one before it was started anew. A client that asks on has just used its conversation, which ends
 * there.
 */
export async function recall(store: Readable, response: string): Promise<string | null> {
  const { projects } = await store.findProjects({ recorded: true, offset: 0, limit: LATELY });
  for (const { id } of projects) {
    try {
      const found = await recallIn(store, id, response);
      if (found !== null) return found;
    } catch (error) {
      // Deleted meanwhile.
      if (!(error instanceof UnknownIdError)) throw error;
    }
  }
  return null;
}

async function recallIn(store: Readable, project: ProjectId, response: string): Promise<string | null> {
  const branches = await store.listBranches(project);
  const ends = branches.flatMap(({ tipId, recorded }) => (tipId === null || recorded === undefined ? [] : [tipId]));
  const tips = (await store.getNodes(project, ends)).toSorted(newestFirst).slice(0, NEWEST);
  for (const { turnId } of tips) {
    const calls = turnId === null ? [] : await store.callsOfTurn(project, turnId);
    const node = calls.find(({ responseId }) => responseId === response)?.nodeId ?? null;
    if (node !== null) return (await store.getNodes(project, [node]))[0]?.trail ?? null;
  }
  return null;
}

const newestFirst = (a: TreeNode, b: TreeNode): number => b.createdAt.localeCompare(a.createdAt);
