import type { NodeId, ProjectId, TreeNode } from '@bough/core';
import { createNode, SUMMARY_INSTRUCTION, summariesSetting, toolChangesOf, turnsIn } from '@bough/core';
import type { CallReportLine, PreparedCall } from '@bough/providers';
import { costOf } from '@bough/providers';
import type { RequestPlan } from '../assemble/index.ts';
import { planRequest } from '../assemble/index.ts';
import type { Environment } from '../environment.ts';
import { nextMessage } from '../preview/next-message.ts';
import { summaryCost } from './cost.ts';
import type { Range } from './range.ts';
import { planRange } from './range.ts';
import type { Way } from './request.ts';
import { planFirst, questionOf, unreadIn, waysFor } from './request.ts';

/** How long a summary is taken to be before it is written. */
const SUMMARY_TOKENS = 1_500;
/** About what an estimate counts for a token. */
const CHARACTERS_PER_TOKEN = 4;

export interface CompactionRequest {
  readonly ref: string;
  /** The last message that the summary stands for; absent: the newest. */
  readonly upTo?: NodeId | undefined;
  /** What the model is asked for; absent: `SUMMARY_INSTRUCTION`. */
  readonly instruction?: string | undefined;
}

export interface CompactionPreview {
  readonly upTo: NodeId;
  readonly isRounded: boolean;
  readonly coveredNodes: number;
  readonly coveredTurns: number;
  /** Pinned messages in the range: their turns go along behind the summary. */
  readonly pinned: readonly NodeId[];
  /** The next request as it is, and with the summary. Estimated. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What the request for the summary sends, and what its answer is taken to have. */
  readonly requestTokens: number;
  readonly summaryTokens: number;
  /** In US dollars, if nothing of it is in the provider's cache, and if all but the question is; null if unknown. */
  readonly cost: number | null;
  readonly cachedCost: number | null;
  /** What stands behind the summary is in no cache in its new place; writing it there costs this. */
  readonly rewrittenTokens: number;
  readonly rewriteCost: number | null;
  /** Replies behind the summary whose reasoning goes back now and would not any more. */
  readonly lostReasoning: readonly string[];
  /** Messages that the model could not read for the summary, because they do not fit: then it is refused. */
  readonly unread: number;
  readonly instruction: string;
  /** Who makes it: the provider by itself, which signs it, or the branch's model, which is asked. */
  readonly by: Way;
}

/** What a compaction would do and cost. Nothing is stored, and no provider is asked. */
export async function previewCompaction(
  env: Environment,
  projectId: ProjectId,
  { ref, upTo, instruction }: CompactionRequest,
): Promise<CompactionPreview> {
  const range = await planRange(env, projectId, ref, upTo);
  const question = questionOf(env, range, instruction);
  const { way, planned } = await planFirst(env, range, question, [...waysFor(env, range)]);
  const asking = planned.prepared;
  const { branch, path } = range;
  const plan: RequestPlan = {
    projectId,
    tip: branch.tipId,
    added: nextMessage(projectId, path, branch.envelope.choices),
    branches: await env.store.listBranches(projectId),
    envelope: branch.envelope,
    manner: branch,
  };
  const before = (await planRequest(env, plan)).prepared;
  const standIn = summaryOf(env, range, question);
  const { summaries: _, ...envelope } = branch.envelope;
  const after = (
    await planRequest(env, {
      ...plan,
      envelope: { ...envelope, ...summariesSetting([]) },
      summary: { upTo: range.upTo, nodes: [question, standIn] },
    })
  ).prepared;
  const requestTokens = asking.context.estimatedTokens;
  const { price } = env.providers.get(envelope.provider).modelInfo(envelope.model);
  const asked = asking.report.find(({ nodeId }) => nodeId === question.id)?.estimatedTokens ?? 0;
  const tokens = { requestTokens, summaryTokens: SUMMARY_TOKENS };
  const rewrittenTokens = tokensBehind(after, standIn.id);
  return {
    upTo: range.upTo,
    isRounded: range.isRounded,
    coveredNodes: range.covered.length,
    coveredTurns: turnsIn(range.covered).length,
    pinned: range.pinned,
    tokensBefore: before.context.estimatedTokens,
    tokensAfter: after.context.estimatedTokens,
    requestTokens,
    summaryTokens: SUMMARY_TOKENS,
    cost: summaryCost(env, branch.envelope, { ...tokens, cachedTokens: 0 }),
    cachedCost: summaryCost(env, branch.envelope, { ...tokens, cachedTokens: Math.max(0, requestTokens - asked) }),
    rewrittenTokens,
    rewriteCost: costOf({ inputTokens: rewrittenTokens, cacheWriteTokens: rewrittenTokens, outputTokens: 0 }, price),
    // What its provider summarised itself is taken for what was there, if nothing was put between and the tools of the
    // request are those that the summary is made with.
    lostReasoning:
      way === 'provider' && range.pinned.length === 0 && toolChangesOf(path).length === 0
        ? []
        : lostIn(before.report, after.report),
    unread: unreadIn(asking),
    instruction: SUMMARY_INSTRUCTION,
    by: way,
  };
}

/** Stands in for a summary that is not written yet. */
function summaryOf(env: Environment, { branch }: Range, question: TreeNode): TreeNode {
  return createNode({
    id: env.ids.node(),
    projectId: branch.projectId,
    parentId: question.id,
    role: 'assistant',
    contentBlocks: [{ type: 'text', text: 'word'.repeat((SUMMARY_TOKENS * CHARACTERS_PER_TOKEN) / 4) }],
    provider: branch.envelope.provider,
    modelUsed: branch.envelope.model,
    createdAt: question.createdAt,
  });
}

/** Without the message that is not written yet: it is new in either case. */
function tokensBehind({ report }: PreparedCall, summary: string): number {
  const at = report.findIndex(({ nodeId }) => nodeId === summary);
  const pinned = report.slice(0, at - 1).filter(({ fidelity }) => fidelity !== 'dropped');
  const behind = report.slice(at + 1).filter(({ nodeId }) => nodeId !== 'next-message');
  return [...pinned, ...behind].reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0);
}

function lostIn(before: readonly CallReportLine[], after: readonly CallReportLine[]): readonly string[] {
  const went = new Set(before.flatMap(({ nodeId, reasoning }) => (reasoning === 'goes_back' ? [nodeId] : [])));
  return after.flatMap(({ nodeId, fidelity, reasoning }) =>
    went.has(nodeId) && reasoning !== 'goes_back' && fidelity !== 'dropped' ? [nodeId] : [],
  );
}
