import type { Branch, MergeRange, NodeId, ProjectId, TreeNode } from '@bough/core';
import { isMergeable, mergeRange } from '@bough/core';
import { RequestError } from '../admit/errors.ts';
import { requireIdle } from '../branches/change.ts';
import type { Environment } from '../environment.ts';

export interface MergeAsked {
  /** The branch that something is brought from, by name or id. */
  readonly from: string;
  /** The branch that it is brought to. */
  readonly into: string;
}

export interface PlannedMerge extends MergeRange {
  readonly source: Branch;
  readonly target: Branch;
  readonly sourcePath: readonly TreeNode[];
  readonly targetPath: readonly TreeNode[];
  readonly upTo: NodeId;
  /** What may be chosen of what is new. */
  readonly messages: readonly TreeNode[];
}

/** What a merge would bring. Refuses where nothing is new, and where a reply is being made on either branch. */
export async function planMerge(
  env: Environment,
  projectId: ProjectId,
  { from, into }: MergeAsked,
): Promise<PlannedMerge> {
  const [source, target] = [await env.store.getBranch(projectId, from), await env.store.getBranch(projectId, into)];
  if (source.id === target.id)
    throw new RequestError(
      'merge_with_itself',
      `"${source.name}" cannot be merged into itself. Choose another branch to bring it to.`,
    );
  // Half a turn would be brought: the next merge would bring its reply without the question.
  for (const branch of [source, target]) await requireIdle(env, branch);
  const pathOf = async ({ tipId }: Branch): Promise<readonly TreeNode[]> =>
    tipId === null ? [] : env.store.path(projectId, tipId);
  const [sourcePath, targetPath] = await Promise.all([pathOf(source), pathOf(target)]);
  const { after, brought } = mergeRange(sourcePath, targetPath);
  const messages = brought.filter(isMergeable);
  const last = brought.at(-1);
  if (last === undefined || messages.length === 0)
    throw new RequestError(
      'nothing_to_merge',
      `"${source.name}" has nothing that "${target.name}" does not have already. Nothing was changed.`,
    );
  return { source, target, sourcePath, targetPath, after, brought, upTo: last.id, messages };
}
