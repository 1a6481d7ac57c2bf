import type { Diff, MergeBlock, NodeId, ProjectId, TreeNode } from '@bough/core';
import { broughtText, diffLines, isMergeable, lastAnswer, mergeIn, mergeRange, UnknownIdError } from '@bough/core';
import { RequestError } from '../admit/errors.ts';
import type { Environment } from '../environment.ts';

/** A merge for people: where it came from, and what it added to what stood there. */
export interface ReadMerge {
  readonly merge: MergeBlock;
  readonly text: string;
  /** The name that the source has now; null where it was deleted. */
  readonly sourceName: string | null;
  /** What the target had of the source before. Who merged in ResearchTree did not note it. */
  readonly after: NodeId | null;
  /** What came after that on the source; null where messages of it were deleted. */
  readonly messages: readonly TreeNode[] | null;
  /** The last answer on the target before the merge, against what was brought. */
  readonly diff: Diff;
  readonly comparedWith: NodeId | null;
}

export async function readMerge(env: Environment, projectId: ProjectId, id: NodeId): Promise<ReadMerge> {
  const path = await env.store.path(projectId, id);
  const node = path.at(-1);
  const merge = node === undefined ? null : mergeIn(node.contentBlocks);
  if (node === undefined || merge === null) throw new RequestError('not_a_merge', 'This message is no merge.');
  const branches = await env.store.listBranches(projectId);
  const text = broughtText(merge, node.content);
  const before = lastAnswer(path.slice(0, -1));
  return {
    merge,
    text,
    sourceName: branches.find((branch) => branch.id === merge.branchId)?.name ?? null,
    ...(await rangeOf(env, projectId, merge, path.slice(0, -1))),
    diff: diffLines(before?.content ?? '', text),
    comparedWith: before?.id ?? null,
  };
}

async function rangeOf(
  env: Environment,
  projectId: ProjectId,
  { after, upTo }: MergeBlock,
  target: readonly TreeNode[],
): Promise<Pick<ReadMerge, 'after' | 'messages'>> {
  try {
    const path = await env.store.path(projectId, upTo);
    // The node that it came after was deleted: nobody knows any more what was new.
    if (after !== null && !path.some(({ id }) => id === after)) return { after, messages: null };
    const range = mergeRange(path, target);
    return { after: range.after?.id ?? after, messages: range.brought.filter(isMergeable) };
  } catch (error) {
    if (error instanceof UnknownIdError) return { after, messages: null };
    throw error;
  }
}
