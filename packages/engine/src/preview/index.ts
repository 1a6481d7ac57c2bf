import type { Branch, ContentBlock, Envelope, EnvelopeRequest, NodeId, ProjectId, TreeNode } from '@bough/core';
import { ContextTooLongError, isCanvasNode, nodeId, resolveBranchConfig, withoutLeftOut } from '@bough/core';
import type { CallReportLine, PreparedCall, PreparedRequest } from '@bough/providers';
import { cacheHabits, NothingToAnswerError, withNamedPlaces } from '@bough/providers';
import { toMessageBlocks } from '../admit/content.ts';
import type { PlannedRequest, RequestPlan } from '../assemble/index.ts';
import { planRequest } from '../assemble/index.ts';
import type { Repetition } from '../assemble/repetition.ts';
import { callOf } from '../assemble/repetition.ts';
import type { InstructedRequest } from '../branches/instructions.ts';
import { instructionNode, planInstructions } from '../branches/instructions.ts';
import { toolChangeNode } from '../branches/tool-change.ts';
import type { ChoiceChanges, ChoiceEffect } from '../choices/index.ts';
import { checkChoices, chosen, effectOf } from '../choices/index.ts';
import type { Environment } from '../environment.ts';
import { nextNode, placeholder } from './next-message.ts';
import type { Estimate } from './estimate.ts';
import { estimateOf } from './estimate.ts';

export interface ContextPreview {
  readonly branch: Branch;
  readonly envelope: Envelope;
  readonly path: readonly TreeNode[];
  /** What is sent. */
  readonly request: PreparedRequest;
  /**
   * What it stands for: where the provider keeps the conversation so far and the request only continues it, the request
   * with all of it; otherwise the same.
   */
  readonly whole: PreparedRequest;
  readonly report: readonly CallReportLine[];
  readonly estimatedTokens: number;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly breakNodeId: string | null;
  /** The body of the request that the newest reply answers, as it would be sent today; null where there is no reply. */
  readonly previousBody: () => Promise<string | null>;
  /** What the request will cost. */
  readonly estimate: Estimate;
  /** What the choices that were asked about change; absent where nothing could be sent without them. */
  readonly effect?: ChoiceEffect;
}

/**
 * The request that the next message of a branch would send, before it is sent; with `target`, the request after a
 * switch. Built by the code that sends, so that what is shown is what happens.
 */
export async function previewContext(
  env: Environment,
  projectId: ProjectId,
  query: {
    readonly ref: string;
    readonly message?: string | readonly ContentBlock[] | undefined;
    readonly target?: InstructedRequest | undefined;
    readonly choices?: ChoiceChanges | undefined;
    /** Preview another reply in place of this one: the request ends where the one before it ended. */
    readonly regenerate?: string | undefined;
  },
): Promise<ContextPreview> {
  const branch = await env.store.getBranch(projectId, query.ref);
  const branches = await env.store.listBranches(projectId);
  const tip = query.regenerate === undefined ? branch.tipId : await askedBefore(env, projectId, query.regenerate);
  const stored = tip === null ? [] : await env.store.path(projectId, tip);
  const { instructionsFrom: _, ...asked } = query.target ?? {};
  const { requested, appended } = planInstructions(
    env,
    stored,
    branch.envelope,
    envelopeOf(env, branch, asked),
    query.target ?? {},
  );
  const before = envelopeOf(env, branch, requested);
  if (query.choices !== undefined) await checkChoices(env, projectId, query.choices);
  const envelope = chosen(before, query.choices);
  const instructions = appended === null ? [] : [instructionNode(env, branch, tip, appended)];
  const change =
    query.target?.instructionsFrom === 'beginning'
      ? null
      : toolChangeNode(env, branch, envelope, stored, instructions.at(-1)?.id ?? tip);
  const told = [...instructions, ...(change === null ? [] : [change])];
  const path = [...stored, ...told];
  const sent = withoutLeftOut(path, envelope.choices);
  const message = query.message === undefined ? placeholder(sent) : toMessageBlocks(query.message);
  const added = [...told, ...(message === null ? [] : [nextNode(projectId, path.at(-1), message)])];
  const plan: RequestPlan = { projectId, tip, added, branches, envelope, manner: branch };
  const next = await planRequest(env, { ...plan, mayContinue: true });
  const { prepared: call } = next.continued ? await planRequest(env, plan) : next;
  const provider = env.providers.get(envelope.provider);
  const model = provider.modelInfo(envelope.model);
  const unchosen = query.choices === undefined ? null : await planIfPossible(env, { ...plan, envelope: before });
  const repeated = (await sameRequest(env, projectId, query.regenerate, envelope, call)) ?? next.repeated;
  const estimate = estimateOf({
    estimatedTokens: call.context.estimatedTokens,
    maxTokens: call.maxTokens,
    repeated,
    deployment: provider.deployment,
    model,
    now: env.now(),
  });
  return {
    branch,
    envelope,
    path: [...stored, ...added, ...(next.summary ?? [])],
    request: shown(next.prepared.request),
    whole: shown(call.request),
    report: call.report,
    estimatedTokens: call.context.estimatedTokens,
    contextWindow: model.contextWindow,
    maxTokens: call.maxTokens,
    breakNodeId: call.context.breakNodeId,
    previousBody: () => previousBody(env, stored, plan),
    estimate,
    ...(unchosen === null
      ? {}
      : {
          effect: effectOf(weigh(unchosen.prepared), weigh(call), model.price, {
            repeatedTokens: repeated?.estimatedTokens ?? 0,
            uncachedTokens: estimate.cachedTokens === 0 ? null : estimate.inputTokens - estimate.cachedTokens,
            findsOnlyEnds: (cacheHabits(provider.deployment, model)?.marks ?? null) !== null,
          }),
        }),
  };
}

/** Null where nothing can be sent like that: choices are how a conversation that does not fit is made to. */
async function planIfPossible(env: Environment, plan: RequestPlan): Promise<PlannedRequest | null> {
  try {
    return await planRequest(env, plan);
  } catch (error) {
    if (isUnsendable(error)) return null;
    throw error;
  }
}

/** The message that a reply answers: the newest of the user's before it. */
async function askedBefore(env: Environment, projectId: ProjectId, reply: string): Promise<NodeId | null> {
  const path = await env.store.path(projectId, nodeId(reply));
  return path.findLast((node) => node.role === 'user' && !isCanvasNode(node))?.id ?? null;
}

/** Another reply to the same request: the cache has all of it. Null where the request is another one. */
async function sameRequest(
  env: Environment,
  projectId: ProjectId,
  reply: string | undefined,
  { provider, model }: Envelope,
  { context }: PreparedCall,
): Promise<Repetition | null> {
  if (reply === undefined) return null;
  const [node] = await env.store.getNodes(projectId, [nodeId(reply)]);
  if (node === undefined || node.provider !== provider || node.modelUsed !== model) return null;
  if (node.madeWith?.prefix !== context.madeWith.prefix) return null;
  const call = await callOf(env, projectId, node);
  const { estimatedTokens } = context;
  const tokens = call?.usage?.inputTokens ?? estimatedTokens;
  return { tokens, estimatedTokens, call, at: call?.startedAt ?? null };
}

const weigh = ({ report, context: { estimatedTokens } }: PreparedCall) => ({ report, estimatedTokens });

/** What people get to see: a file is named where its bytes are sent. */
function shown(request: PreparedRequest): PreparedRequest {
  const { pieces: _, ...rest } = request;
  return { ...rest, body: withNamedPlaces(request.body) };
}

function envelopeOf(env: Environment, branch: Branch, requested: EnvelopeRequest): Envelope {
  return resolveBranchConfig({
    source: branch.envelope,
    requested,
    defaults: branch.envelope,
    defaultModelOf: (provider) => env.providers.get(provider).deployment.defaultModel,
  });
}

async function previousBody(env: Environment, path: readonly TreeNode[], plan: RequestPlan): Promise<string | null> {
  const reply = path.findLast((node) => node.role === 'assistant' && !node.isError);
  if (reply === undefined || reply.parentId === null) return null;
  try {
    const { prepared } = await planRequest(env, { ...plan, tip: reply.parentId, added: [], mayContinue: true });
    return withNamedPlaces(prepared.request.body);
  } catch (error) {
    if (isUnsendable(error)) return null;
    throw error;
  }
}

/** What was sent may not be any more: all of it was left out since, or pins take the room that it had. */
const isUnsendable = (error: unknown): boolean =>
  error instanceof ContextTooLongError || error instanceof NothingToAnswerError;
