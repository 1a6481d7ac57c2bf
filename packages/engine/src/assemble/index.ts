import type { Branch, BranchId, Envelope, EnvelopeRequest, Lock, NodeId, ProjectId, TreeNode } from '@bough/core';
import { marksOf, replyLimits } from '@bough/core';
import type { CallTarget, PreparedCall } from '@bough/providers';
import { cacheSlot, continuesResponses, prepareStored, withEndpoint } from '@bough/providers';
import type { StoredContext } from '@bough/store';
import type { Environment } from '../environment.ts';

export interface RequestPlan {
  readonly projectId: ProjectId;
  /** The newest node of the path; null for an empty branch. */
  readonly tip: NodeId | null;
  /** What follows the tip and is not stored. */
  readonly added?: readonly TreeNode[];
  /** All branches of the project: old nodes only say which one they were made on. */
  readonly branches: readonly Branch[];
  readonly envelope: Envelope;
  /** How the branch wants earlier replies to be sent. */
  readonly manner: Pick<Branch, 'replayBy' | 'keepToolsAfterBreak'>;
  readonly toolChoice?: 'auto' | 'none';
  /** Whether replies of the provider's other models may be sent with their reasoning; they may if absent. */
  readonly mayShareReasoning?: boolean;
  /** Limits of this request alone, before those of the envelope. */
  readonly limits?: ReplyLimits | undefined;
  /** Whether the request may continue from a response that the provider has stored, if it stores any. */
  readonly mayContinue?: boolean;
}

export interface PlannedRequest {
  readonly prepared: PreparedCall;
  /** Whether continuing from a stored response was attempted. */
  readonly continued: boolean;
}

/**
 * The request that the next call sends, and the one that a preview shows: the same code, so they cannot differ. The
 * path is read in one round trip, without its cached turns; where the request cannot be built from that, all of it is
 * read.
 */
export async function planRequest(env: Environment, plan: RequestPlan): Promise<PlannedRequest> {
  const target = targetOf(env, plan);
  // A server that has just started, or took a turn over, knows no more of an unlisted model than its name.
  await target.provider.findModel(target.model, 'calling');
  const read = async (slot?: string): Promise<StoredContext> =>
    plan.tip === null
      ? EMPTY
      : env.store.readContext(
          plan.projectId,
          plan.tip,
          target.provider.renderingKeys,
          ...(slot === undefined ? [] : [slot]),
        );
  if (plan.mayContinue === true && continuesResponses(target.provider.deployment)) {
    const whole = await read();
    const previousResponse = await newestResponse(env, plan.projectId, whole.nodes);
    return { prepared: wholeRequest(plan, target, whole, previousResponse), continued: previousResponse !== undefined };
  }
  const prepared = prepare(plan, target, await read(cacheSlot(target)));
  return { prepared: prepared ?? wholeRequest(plan, target, await read()), continued: false };
}

const EMPTY: StoredContext = { marks: '', cachedTurns: [], nodes: [], raws: new Map(), renderings: new Map() };

function wholeRequest(
  plan: RequestPlan,
  target: CallTarget,
  whole: StoredContext,
  previousResponse?: PreviousResponse,
): PreparedCall {
  const prepared = prepare(plan, target, whole, previousResponse);
  if (prepared === null) throw new Error('All of the path was read, and it was not enough.');
  return prepared;
}

type PreviousResponse = { readonly id: string; readonly nodeId: NodeId } | undefined;

function prepare(
  { added = [], branches }: RequestPlan,
  target: CallTarget,
  { marks, nodes, cachedTurns, raws, renderings }: StoredContext,
  previousResponse?: PreviousResponse,
): PreparedCall | null {
  const locks = new Map<BranchId, Lock>(branches.map((branch) => [branch.id, branch.envelope]));
  return prepareStored({ marks: marks + marksOf(added), nodes: [...nodes, ...added], cachedTurns }, target, {
    lockOf: (branch) => locks.get(branch) ?? null,
    rawOf: (node) => {
      const raw = raws.get(node);
      return raw && withEndpoint(raw);
    },
    renderingOf: (node, key) => renderings.get(node)?.get(key),
    previousResponse,
  });
}

/**
 * The response that produced the newest reply of the path. Read from the reply's own call: a branch whose tip was moved
 * to another reply must never continue from the one that it left.
 */
async function newestResponse(
  env: Environment,
  project: ProjectId,
  path: readonly TreeNode[],
): Promise<PreviousResponse> {
  const reply = path.findLast((node) => node.role === 'assistant' && !node.isError);
  if (reply === undefined || reply.turnId === null) return undefined;
  const calls = await env.store.callsOfTurn(project, reply.turnId);
  const id = calls.find((call) => call.nodeId === reply.id)?.responseId ?? null;
  return id === null ? undefined : { id, nodeId: reply.id };
}

/** How long a reply may be, and what happens where that does not fit. */
export type ReplyLimits = Pick<EnvelopeRequest, 'maxTokens' | 'failEarly'>;

function targetOf(
  env: Environment,
  { envelope, manner, toolChoice, limits, mayShareReasoning }: RequestPlan,
): CallTarget {
  return {
    ...replyLimits(limits?.maxTokens ?? envelope.maxTokens, limits?.failEarly ?? envelope.failEarly),
    provider: env.providers.get(envelope.provider),
    model: envelope.model,
    systemPrompt: envelope.systemPrompt,
    tools: env.tools.definitions(envelope.tools),
    thinking: envelope.thinking,
    replayBy: manner.replayBy,
    keepToolsAfterBreak: manner.keepToolsAfterBreak,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(mayShareReasoning === undefined ? {} : { mayShareReasoning }),
  };
}
