import type {
  BranchId,
  Call,
  CallStatus,
  FoldedReply,
  NodeId,
  RawResponse,
  StreamError,
  TreeNode,
  Turn,
} from '@bough/core';
import { canonicalBlocks, createNode, replyLikeness, thinkingOf, trailAfter } from '@bough/core';
import { costOf } from '@bough/providers';
import type { Environment } from '../environment.ts';
import type { CallStart } from './record.ts';

export type EndedCallStatus = Exclude<CallStatus, 'running'>;

/** A call that is over, with everything that is stored for it. */
export interface FinishedCall {
  readonly status: EndedCallStatus;
  readonly call: Call;
  /** Made when it is stored: a long reply has tens of thousands of events, which need not stay in memory until then. */
  readonly raw: () => RawResponse | null;
  /** The reply, followed by the error, where they exist. Parents first. */
  readonly nodes: readonly TreeNode[];
}

export interface CallEnd {
  readonly turn: Turn;
  readonly branchId: BranchId | null;
  readonly start: CallStart;
  readonly folded: FoldedReply;
  readonly raw: () => RawResponse;
  readonly firstByteAt: string | null;
  /** How long reasoning arrived; null if none did, or if nobody measured it. */
  readonly reasoningMs: number | null;
  /** Somebody asked to stop it. */
  readonly isStopped: boolean;
  readonly providerRequestId: string | null;
}

/** Why a reply that arrived without an error is not the whole answer; null if it is. */
function endedEarly(stop: FoldedReply['stop']): string | null {
  return stop === 'max_tokens' || stop === 'refusal' || stop === 'context_exceeded' ? stop : null;
}

/**
 * Turns the outcome of a call into nodes and a record. Serves both the live call and one found in the log, and needs no
 * provider: the one that was called may no longer be configured.
 */
export function finishCall(env: Environment, end: CallEnd): FinishedCall {
  const { start, folded } = end;
  const status = statusOf(folded);
  const endedAt = env.now().toISOString();
  const reply = replyNode(env, end, status, endedAt);
  const failure =
    folded.error === null || status !== 'error'
      ? null
      : errorNode(env, end, folded.error, reply?.id ?? start.parentId, endedAt);
  const call: Call = {
    ...start.issuer,
    id: start.callId,
    projectId: end.turn.projectId,
    turnId: end.turn.id,
    nodeId: reply?.id ?? failure?.id ?? null,
    status,
    requestHash: start.requestHash,
    providerRequestId: end.providerRequestId,
    responseId: folded.responseId,
    startedAt: start.startedAt,
    firstByteAt: end.firstByteAt,
    endedAt,
    // A call whose use is unknown stays that way: its cost must not become zero.
    usage: usageOf(end),
    cost: folded.usage === null ? null : costOf(folded.usage, start.price),
    errorCode: end.isStopped && status === 'interrupted' ? 'stopped' : (folded.error?.code ?? endedEarly(folded.stop)),
    ...(start.exchange === undefined ? {} : { exchange: start.exchange }),
  };
  return {
    status,
    call,
    raw: env.limits.keepRaw && reply !== null ? end.raw : () => null,
    nodes: [reply, failure].filter((node) => node !== null),
  };
}

/** What the provider counted, what was measured here, and what could be expected of the cache. */
function usageOf({ folded: { usage }, reasoningMs, start }: CallEnd): Call['usage'] {
  if (usage === null) return null;
  const { cacheTold, ...counts } = usage;
  // Without having been asked, a provider that says nothing has compared nothing.
  const isTold = cacheTold !== undefined && (start.isCompared === true || cacheTold.type !== 'same');
  return {
    ...counts,
    ...(isTold && { cacheTold }),
    ...(reasoningMs !== null && { reasoningMs }),
    ...start.expected,
  };
}

export function statusOf({ stop, error }: FoldedReply): EndedCallStatus {
  if (stop === null || stop === 'interrupted' || error?.code === 'aborted') return 'interrupted';
  return error === null && stop !== 'error' ? 'complete' : 'error';
}

/** Null where nothing came: an empty message is not a reply. A complete reply that says nothing still is one. */
function replyNode(env: Environment, end: CallEnd, status: CallStatus, createdAt: string): TreeNode | null {
  const { start, folded, turn } = end;
  if (folded.blocks.length === 0 && status !== 'complete') return null;
  const { blocks, truncated } = canonicalBlocks(folded.blocks, env.limits.thinkingCapBytes);
  const { provider, model } = start.issuer;
  return createNode({
    id: start.nodeId,
    projectId: turn.projectId,
    parentId: start.parentId,
    role: 'assistant',
    contentBlocks: blocks,
    turnId: turn.id,
    createdOnBranch: end.branchId,
    provider,
    modelUsed: model,
    thinking: thinkingOf(blocks, start.reasoning, truncated, folded.usage?.reasoningTokens),
    madeWith: start.madeWith,
    interrupted: status !== 'complete',
    // From what came, not from what is kept of it: the client gives back what it saw.
    ...(start.trail === undefined ? {} : { trail: trailAfter(start.trail, 'assistant', replyLikeness(folded.blocks)) }),
    createdAt,
  });
}

function errorNode(env: Environment, end: CallEnd, error: StreamError, parentId: NodeId, createdAt: string): TreeNode {
  return createErrorNode(env, {
    turn: end.turn,
    branchId: end.branchId,
    parentId,
    message: error.message,
    issuer: end.start.issuer,
    createdAt,
  });
}

/** One readable error reply. It is shown, but never sent to a model. */
export function createErrorNode(
  env: Environment,
  about: {
    readonly turn: Turn;
    readonly branchId: BranchId | null;
    readonly parentId: NodeId;
    readonly message: string;
    readonly issuer: { readonly provider: string; readonly model: string };
    readonly createdAt: string;
  },
): TreeNode {
  return createNode({
    id: env.ids.node(),
    projectId: about.turn.projectId,
    parentId: about.parentId,
    role: 'assistant',
    contentBlocks: [{ type: 'text', text: about.message }],
    turnId: about.turn.id,
    createdOnBranch: about.branchId,
    provider: about.issuer.provider,
    modelUsed: about.issuer.model,
    isError: true,
    createdAt: about.createdAt,
  });
}
