import type { Call, CallUsage, ProjectId, TreeNode } from '@bough/core';
import { sha256 } from '@bough/core';
import type { CacheHabits, PreparedCall } from '@bough/providers';
import { cacheHabits } from '@bough/providers';
import type { StoredContext } from '@bough/store';
import type { Environment } from '../environment.ts';
import type { RequestPlan } from './index.ts';
import type { PlacedSummary } from './summarised.ts';

/** How much of a request was sent to its model before, in the same place: what the provider's cache can have. */
export interface Repetition {
  /** Counted by the provider where it was the whole request before, else estimated. */
  readonly tokens: number;
  /** The same part by Bough's own estimate. */
  readonly estimatedTokens: number;
  /** The newest call whose whole request it was; null where only a part of one is repeated. */
  readonly call: Call | null;
  /** When it was sent, as far as known. */
  readonly at: string | null;
}

/**
 * The call that made the newest reply of a path; null where another model made it, where it failed, or where its call
 * was not kept. Where cached turns stand for the path, the newest of them ends with the reply, or with the summary.
 */
export async function lastCall(
  env: Environment,
  { projectId, envelope }: Pick<RequestPlan, 'projectId' | 'envelope'>,
  { nodes, cachedTurns }: Pick<StoredContext, 'nodes' | 'cachedTurns'>,
  summary?: PlacedSummary,
): Promise<Call | null> {
  const cached = cachedTurns.at(-1);
  const read =
    nodes.findLast(({ role }) => role === 'assistant') ??
    (cached !== undefined && cached.nodeId === summary?.upTo ? summary.nodes.at(-1) : undefined);
  const [reply] =
    read !== undefined || cached === undefined ? [read] : await env.store.getNodes(projectId, [cached.nodeId]);
  if (reply?.role !== 'assistant' || reply.isError) return null;
  return reply.provider === envelope.provider && reply.modelUsed === envelope.model
    ? callOf(env, projectId, reply)
    : null;
}

export async function repetitionOf(
  env: Environment,
  { projectId, envelope: { provider, model } }: Pick<RequestPlan, 'projectId' | 'envelope'>,
  prepared: PreparedCall,
  nodes: readonly TreeNode[],
  last: Call | null,
): Promise<Repetition | null> {
  const { replyId, estimatedTokens, blocksBehind, isNewest } = prepared.repeated;
  const reply = nodes.find(({ id }) => id === replyId);
  const call = replyId === null || replyId === last?.nodeId ? last : await callOf(env, projectId, reply);
  const { deployment, modelInfo } = env.providers.get(provider);
  const marks = cacheHabits(deployment, modelInfo(model))?.marks ?? null;
  // The request before the newest reply is marked where it ended, however long that reply is.
  if (marks !== null && (replyId === null || call === null || (!isNewest && blocksBehind >= marks.lookback))) {
    const tokens = replyId === null || call === null ? 0 : startOf(prepared);
    const at = last?.startedAt ?? null;
    return tokens < marks.startTokens ? null : { tokens, estimatedTokens: tokens, call: null, at };
  }
  const whole = replyId === null ? null : call;
  const tokens = whole?.usage?.inputTokens ?? estimatedTokens;
  return tokens === 0 ? null : { tokens, estimatedTokens, call: whole, at: call?.startedAt ?? null };
}

/** The system prompt and the tools: what a request has besides its messages. */
function startOf({ context, report }: Pick<PreparedCall, 'context' | 'report'>): number {
  return context.estimatedTokens - report.reduce((sum, line) => sum + line.estimatedTokens, 0);
}

/** The call that made a reply; null where it was not kept. */
export async function callOf(env: Environment, project: ProjectId, reply: TreeNode | undefined): Promise<Call | null> {
  if (reply === undefined || reply.turnId === null) return null;
  const calls = await env.store.callsOfTurn(project, reply.turnId);
  return calls.find((call) => call.nodeId === reply.id) ?? null;
}

/**
 * What is stored with a call about what its provider's cache can have had; null where that is nothing. Without the
 * least that a provider caches, every short conversation would be a finding.
 */
export function expectationOf(
  repeated: Repetition | null,
  habits: CacheHabits | null,
  now: Date,
): Pick<CallUsage, 'expectedCachedTokens' | 'expectedAgeMs'> | null {
  if (repeated === null || habits === null || repeated.tokens < habits.leastTokens) return null;
  const since = repeated.at;
  return {
    expectedCachedTokens: repeated.tokens,
    ...(since === null ? {} : { expectedAgeMs: Math.max(0, now.getTime() - Date.parse(since)) }),
  };
}

/** One name for a whole tree of conversations, always the same: requests with it find each other's caches. */
export function cacheKeyOf(project: ProjectId): string {
  return `bough-${sha256(project).slice(0, 32)}`;
}
