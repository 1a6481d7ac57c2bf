import type { Branch, NodeId, ProjectId, TreeNode } from '@bough/core';
import {
  estimateMessageTokens,
  estimateTokens,
  lastAnswer,
  MERGE_INSTRUCTION,
  mergeText,
  messageOfNode,
} from '@bough/core';
import { summaryCost } from '../compact/cost.ts';
import { askFor, questionOf, unreadIn } from '../compact/request.ts';
import type { Environment } from '../environment.ts';
import type { MergeAsked, PlannedMerge } from './range.ts';
import { planMerge } from './range.ts';
import { summaryInstruction, summaryRange } from './summary.ts';

/** How long a summary of a merge is taken to be before it is written. */
const SUMMARY_TOKENS = 800;

export interface MergePreview {
  readonly source: Branch;
  readonly target: Branch;
  /** What is brought came after this node, up to that one. */
  readonly after: NodeId | null;
  readonly upTo: NodeId;
  readonly since: 'start' | 'fork' | 'merge';
  /** What may be chosen, oldest first, with what each adds to the next request. */
  readonly messages: readonly { readonly node: TreeNode; readonly tokens: number }[];
  /** Its last answer; null where nothing that is new is an answer. */
  readonly answer: { readonly nodeId: NodeId; readonly tokens: number } | null;
  readonly summary: {
    /** What the request for it sends, and what it is taken to have. */
    readonly requestTokens: number;
    readonly tokens: number;
    /** In US dollars; null where that is unknown. */
    readonly cost: number | null;
    readonly provider: string;
    readonly model: string;
    readonly instruction: string;
    /** Messages that do not fit into that request: where there are any, it is refused. */
    readonly unread: number;
  };
}

/** What a merge would bring, and what that costs. Nothing is stored, and no provider is asked. */
export async function previewMerge(env: Environment, projectId: ProjectId, asked: MergeAsked): Promise<MergePreview> {
  const planned = await planMerge(env, projectId, asked);
  const { source, target, after, upTo, messages, brought, targetPath } = planned;
  const answer = lastAnswer(brought);
  return {
    source,
    target,
    after: after?.id ?? null,
    upTo,
    since: after === null ? 'start' : targetPath.some(({ id }) => id === after.id) ? 'fork' : 'merge',
    messages: messages.map((node) => ({ node, tokens: estimateMessageTokens(messageOfNode(node)) })),
    answer: answer && {
      nodeId: answer.id,
      tokens: estimateTokens(mergeText({ branchName: source.name, by: 'answer' }, [answer])),
    },
    summary: await summaryPreview(env, planned),
  };
}

async function summaryPreview(env: Environment, planned: PlannedMerge): Promise<MergePreview['summary']> {
  const { provider, model } = planned.source.envelope;
  const range = summaryRange(planned);
  const question = questionOf(env, range, summaryInstruction(planned, undefined));
  const { prepared: asking } = await askFor(env, range, question, 'model');
  const requestTokens = asking.context.estimatedTokens;
  return {
    requestTokens,
    tokens: SUMMARY_TOKENS,
    cost: summaryCost(env, { provider, model }, { requestTokens, cachedTokens: 0, summaryTokens: SUMMARY_TOKENS }),
    provider,
    model,
    instruction: MERGE_INSTRUCTION,
    unread: unreadIn(asking),
  };
}
