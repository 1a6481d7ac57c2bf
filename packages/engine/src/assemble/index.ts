import type {
  Branch,
  BranchId,
  Call,
  Envelope,
  EnvelopeRequest,
  Lock,
  NodeId,
  ProjectId,
  ToolDefinition,
  TreeNode,
} from '@bough/core';
import { choicesSetting, marksOf, replyLimits } from '@bough/core';
import type { CallTarget, PreparedCall } from '@bough/providers';
import { cacheSlot, continuesResponses, prepareStored, withEndpoint } from '@bough/providers';
import type { StoredContext } from '@bough/store';
import { providerToolsOf } from '../branches/provider-tools.ts';
import type { Environment } from '../environment.ts';
import { clientTools } from './client-tools.ts';
import type { PlacedSummary } from './summarised.ts';
import { readSummarised } from './summarised.ts';
import type { Repetition } from './repetition.ts';
import { cacheKeyOf, lastCall, repetitionOf } from './repetition.ts';

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
  /** False if the provider just said that a container is gone; absent: those not known to be gone may be named. */
  readonly mayUseContainers?: boolean;
  /** The ids of the files that a new container is to have. */
  readonly containerFiles?: readonly string[];
  /** False if the provider just said that it no longer has a file that was given to it for a container. */
  readonly mayBringFiles?: boolean;
  /** Limits of this request alone, before those of the envelope. */
  readonly limits?: ReplyLimits | undefined;
  /** Asks the provider for a summary of everything instead of a reply, in these words. */
  readonly summarise?: string;
  /** A summary that is not stored yet, before those of the envelope: for a preview. */
  readonly summary?: PlacedSummary;
  /** Whether the request may continue from a response that the provider has stored, if it stores any. */
  readonly mayContinue?: boolean;
}

export interface PlannedRequest {
  readonly prepared: PreparedCall;
  /** What this model was sent before, and the call whose request it was; null where nothing is repeated. */
  readonly repeated: Repetition | null;
  /** The provider's id of the reply that its cache is compared with; null where it is not asked. */
  readonly comparedWith: string | null;
  /** Whether continuing from a stored response was attempted. */
  readonly continued: boolean;
  /** The nodes that stand for everything before them; absent where nothing was summarised. */
  readonly summary?: readonly TreeNode[];
}

/**
 * The request that the next call sends, and the one that a preview shows: the same code, so they cannot differ. The
 * path is read in one round trip, without its cached turns; where the request cannot be built from that, all of it is
 * read.
 */
export async function planRequest(env: Environment, plan: RequestPlan): Promise<PlannedRequest> {
  const target = targetOf(env, plan, await clientTools(env, plan));
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
  const summarised = await readSummarised(env, plan, async (behind) =>
    read(behind === undefined ? undefined : cacheSlot({ ...target, ...behind })),
  );
  if (summarised !== null) {
    const { stored, nodes: summary, earlier: earlierSummaries, whole } = summarised;
    const behind = { ...target, summary, earlierSummaries };
    const last = await lastCall(env, plan, stored, summarised);
    const spared = prepare(plan, behind, stored, { last });
    const context = spared === null ? await whole() : stored;
    const prepared = spared ?? wholeRequest(plan, behind, context, { last });
    const repeated = await repetitionOf(env, plan, prepared, [...summary, ...context.nodes], last);
    return { ...planned(prepared, repeated, last), continued: false, summary };
  }
  // A stored response holds all that was sent with it: what a person left out since would still be read.
  const isWhole = !Object.values(target.choices ?? {}).includes('leave_out');
  if (plan.mayContinue === true && isWhole && continuesResponses(target.provider.deployment)) {
    const whole = await read();
    const previousResponse = await newestResponse(env, plan.projectId, whole.nodes);
    const last = await lastCall(env, plan, whole);
    const prepared = wholeRequest(plan, target, whole, { last, previousResponse });
    const repeated = await repetitionOf(env, plan, prepared, whole.nodes, last);
    return { ...planned(prepared, repeated, last), continued: previousResponse !== undefined };
  }
  const stored = await read(cacheSlot(target));
  const last = await lastCall(env, plan, stored);
  const spared = prepare(plan, target, stored, { last });
  const context = spared === null ? await read() : stored;
  const prepared = spared ?? wholeRequest(plan, target, context, { last });
  const repeated = await repetitionOf(env, plan, prepared, context.nodes, last);
  return { ...planned(prepared, repeated, last), continued: false };
}

function planned(
  prepared: PreparedCall,
  repeated: Repetition | null,
  last: Call | null,
): Omit<PlannedRequest, 'continued'> {
  return { prepared, repeated, comparedWith: last?.responseId ?? null };
}

const EMPTY: StoredContext = { marks: '', cachedTurns: [], nodes: [], raws: new Map(), renderings: new Map() };

function wholeRequest(plan: RequestPlan, target: CallTarget, whole: StoredContext, earlier: Earlier): PreparedCall {
  const prepared = prepare(plan, target, whole, earlier);
  if (prepared === null) throw new Error('All of the path was read, and it was not enough.');
  return prepared;
}

type PreviousResponse = { readonly id: string; readonly nodeId: NodeId } | undefined;

interface Earlier {
  /** The call that made the newest reply, if this model made it. */
  readonly last: Call | null;
  readonly previousResponse?: PreviousResponse;
}

function prepare(
  { projectId, added = [], branches }: RequestPlan,
  target: CallTarget,
  { marks, nodes, cachedTurns, raws, renderings }: StoredContext,
  { last, previousResponse }: Earlier,
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
    cacheKey: cacheKeyOf(projectId),
    ...(last?.responseId == null ? {} : { comparedWith: last.responseId }),
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
  {
    envelope,
    manner,
    toolChoice: asked,
    limits,
    mayShareReasoning,
    mayUseContainers,
    containerFiles,
    mayBringFiles,
    summarise,
  }: RequestPlan,
  known: readonly ToolDefinition[],
): CallTarget {
  const own = env.tools.definitions(envelope.tools);
  // A client's tools are known here but cannot run: without others, calls are switched off.
  const hasOthers = own.length > 0 || (envelope.providerTools ?? []).length > 0;
  const toolChoice = known.length > 0 && !hasOthers ? 'none' : asked;
  return {
    ...replyLimits(limits?.maxTokens ?? envelope.maxTokens, limits?.failEarly ?? envelope.failEarly),
    provider: env.providers.get(envelope.provider),
    model: envelope.model,
    systemPrompt: envelope.systemPrompt,
    tools: [...known, ...own],
    ...providerToolsOf(env, envelope),
    thinking: envelope.thinking,
    replayBy: manner.replayBy,
    keepToolsAfterBreak: manner.keepToolsAfterBreak,
    ...(envelope.filesOtherwise === undefined ? {} : { filesOtherwise: envelope.filesOtherwise }),
    ...choicesSetting(envelope.choices),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(mayShareReasoning === undefined ? {} : { mayShareReasoning }),
    ...(mayUseContainers === undefined ? {} : { mayUseContainers }),
    ...(containerFiles === undefined ? {} : { containerFiles }),
    ...(mayBringFiles === undefined ? {} : { mayBringFiles }),
    ...(summarise === undefined ? {} : { summarise }),
  };
}
