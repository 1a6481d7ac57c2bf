import type { Branch, ContentBlock, Envelope, EnvelopeRequest, ProjectId, TreeNode } from '@bough/core';
import { createNode, nodeId, resolveBranchConfig } from '@bough/core';
import type { CallReportLine, PreparedRequest } from '@bough/providers';
import { toTextBlocks } from '../admit/content.ts';
import type { RequestPlan } from '../assemble/index.ts';
import { planRequest } from '../assemble/index.ts';
import { defaultEnvelope } from '../branches/index.ts';
import type { InstructedRequest } from '../branches/instructions.ts';
import { instructionNode, planInstructions } from '../branches/instructions.ts';
import { toolChangeNode } from '../branches/tool-change.ts';
import type { Environment } from '../environment.ts';

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
  },
): Promise<ContextPreview> {
  const branch = await env.store.getBranch(projectId, query.ref);
  const branches = await env.store.listBranches(projectId);
  const { tipId: tip } = branch;
  const stored = tip === null ? [] : await env.store.path(projectId, tip);
  const { instructionsFrom: _, ...asked } = query.target ?? {};
  const { requested, appended } = planInstructions(
    env,
    stored,
    branch.envelope,
    envelopeOf(env, branch, asked),
    query.target ?? {},
  );
  const envelope = envelopeOf(env, branch, requested);
  const instructions = appended === null ? [] : [instructionNode(env, branch, tip, appended)];
  const change =
    query.target?.instructionsFrom === 'beginning'
      ? null
      : toolChangeNode(env, branch, envelope, stored, instructions.at(-1)?.id ?? tip);
  const told = [...instructions, ...(change === null ? [] : [change])];
  const path = [...stored, ...told];
  const message = query.message === undefined ? placeholder(path) : toTextBlocks(query.message);
  const next = message === null ? [] : [nextNode(projectId, path.at(-1), message)];
  const added = [...told, ...next];
  const plan: RequestPlan = { projectId, tip, added, branches, envelope, manner: branch };
  const sent = await planRequest(env, { ...plan, mayContinue: true });
  const { prepared: call } = sent.continued ? await planRequest(env, plan) : sent;
  return {
    branch,
    envelope,
    path: [...stored, ...added],
    request: sent.prepared.request,
    whole: call.request,
    report: call.report,
    estimatedTokens: call.context.estimatedTokens,
    contextWindow: env.providers.get(envelope.provider).modelInfo(envelope.model).contextWindow,
    maxTokens: call.maxTokens,
    breakNodeId: call.context.breakNodeId,
    previousBody: () => previousBody(env, stored, plan),
  };
}

function envelopeOf(env: Environment, branch: Branch, requested: EnvelopeRequest): Envelope {
  return resolveBranchConfig({
    source: branch.envelope,
    requested,
    defaults: defaultEnvelope(env),
    defaultModelOf: (provider) => env.providers.get(provider).deployment.defaultModel,
  });
}

async function previousBody(env: Environment, path: readonly TreeNode[], plan: RequestPlan): Promise<string | null> {
  const reply = path.findLast((node) => node.role === 'assistant' && !node.isError);
  if (reply === undefined || reply.parentId === null) return null;
  const { prepared } = await planRequest(env, { ...plan, tip: reply.parentId, added: [], mayContinue: true });
  return prepared.request.body;
}

/**
 * Stands in for the message that is not written yet: no request ends with a reply. Null where a message is already
 * waiting for its answer.
 */
function placeholder(path: readonly TreeNode[]): readonly ContentBlock[] | null {
  const last = path.findLast(({ role }) => role !== 'system');
  return last === undefined || last.role === 'assistant' ? [{ type: 'text', text: '…' }] : null;
}

function nextNode(projectId: ProjectId, last: TreeNode | undefined, contentBlocks: readonly ContentBlock[]): TreeNode {
  return createNode({
    id: nodeId('next-message'),
    projectId,
    parentId: last?.id ?? null,
    role: 'user',
    contentBlocks,
    createdAt: last?.createdAt ?? '',
  });
}
