import type { Branch, Call, MergeBlock, NodeId, ProjectId, TreeNode } from '@bough/core';
import { createNode, lastAnswer, mergeText } from '@bough/core';
import { RequestError } from '../admit/errors.ts';
import { requireIdle } from '../branches/change.ts';
import type { Environment } from '../environment.ts';
import type { MergeAsked, PlannedMerge } from './range.ts';
import { planMerge } from './range.ts';
import type { SummaryAsked } from './summary.ts';
import { summariseSource } from './summary.ts';

export type { MergePreview } from './preview.ts';
export { previewMerge } from './preview.ts';
export type { MergeAsked } from './range.ts';
export type { ReadMerge } from './read.ts';
export { readMerge } from './read.ts';

export interface Merge extends MergeAsked, SummaryAsked {
  readonly by: MergeBlock['by'];
  /** With `messages`: those that are brought. Their order is that of the conversation. */
  readonly nodeIds?: readonly NodeId[] | undefined;
}

export interface Merged {
  readonly node: TreeNode;
  /** The target, with the merge for its tip. */
  readonly branch: Branch;
  /** The call that wrote the summary. */
  readonly call: Call | null;
}

/**
 * Brings what is new on a branch to another one, as one message of the user at its end. Nothing that is stored changes:
 * everything that the target sent before is sent again, to the byte.
 */
export async function merge(
  env: Environment,
  projectId: ProjectId,
  request: Merge,
  signal: AbortSignal,
): Promise<Merged> {
  const planned = await planMerge(env, projectId, request);
  const { source, target, after, upTo } = planned;
  const { nodes, call } = await chosenNodes(env, planned, request, signal);
  const block: MergeBlock = {
    type: 'merge',
    branchId: source.id,
    branchName: source.name,
    after: after?.id ?? null,
    upTo,
    by: request.by,
    nodeIds: nodes.map(({ id }) => id),
  };
  const node = createNode({
    id: env.ids.node(),
    projectId,
    parentId: target.tipId,
    role: 'user',
    contentBlocks: [block, { type: 'text', text: mergeText(block, nodes) }],
    createdOnBranch: target.id,
    createdAt: env.now().toISOString(),
  });
  // Writing a summary takes its time: who cancelled it meanwhile would find it there all the same, and a turn that
  // began meanwhile would lose its place.
  if (call !== null && signal.aborted)
    throw new RequestError('summary_failed', 'It was cancelled before it could be brought. Nothing was changed.');
  if (call !== null) await requireIdle(env, target);
  await env.store.appendNodes(projectId, [node], { branchId: target.id, expected: target.tipId, next: node.id });
  await env.store.publish({ type: 'changed', projectId });
  return { node, branch: { ...target, tipId: node.id }, call };
}

async function chosenNodes(
  env: Environment,
  planned: PlannedMerge,
  request: Merge,
  signal: AbortSignal,
): Promise<{ readonly nodes: readonly TreeNode[]; readonly call: Call | null }> {
  switch (request.by) {
    case 'answer': {
      const answer = lastAnswer(planned.brought);
      if (answer === null)
        throw new RequestError(
          'nothing_to_merge',
          `Nothing that is new on "${planned.source.name}" is an answer. Choose messages instead.`,
        );
      return { nodes: [answer], call: null };
    }
    case 'messages':
      return { nodes: chosenMessages(planned, request.nodeIds ?? []), call: null };
    case 'summary': {
      const { node, call } = await summariseSource(env, planned, request, signal);
      return { nodes: [node], call };
    }
  }
}

function chosenMessages({ source, messages }: PlannedMerge, ids: readonly NodeId[]): readonly TreeNode[] {
  if (ids.length === 0)
    throw new RequestError('invalid_content', 'No message was chosen. Name at least one that is to be brought.');
  const offered = new Set(messages.map(({ id }) => id));
  const other = ids.find((id) => !offered.has(id));
  if (other !== undefined)
    throw new RequestError(
      'invalid_content',
      `The message "${other}" cannot be brought: it is not among what is new on "${source.name}", or it says nothing.`,
    );
  const chosen = new Set(ids);
  return messages.filter(({ id }) => chosen.has(id));
}
