import type { Branch, ContentBlock, Envelope, EnvelopeRequest, ProjectId, TreeNode } from '@bough/core';
import { createNode, nodeId, resolveBranchConfig } from '@bough/core';
import type { CallReportLine, PreparedRequest } from '@bough/providers';
import { toTextBlocks } from '../admit/content.ts';
import type { LoadedPath, RequestPlan } from '../assemble/index.ts';
import { loadPath, planRequest } from '../assemble/index.ts';
import { defaultEnvelope } from '../branches/index.ts';
import type { Environment } from '../environment.ts';

export interface ContextPreview {
  readonly branch: Branch;
  readonly envelope: Envelope;
  readonly path: readonly TreeNode[];
  readonly request: PreparedRequest;
  readonly report: readonly CallReportLine[];
  readonly estimatedTokens: number;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly breakNodeId: string | null;
  /** The body of the request that the newest reply answers, as it would be sent today; null where there is no reply. */
  readonly previousBody: () => Promise<string | null>;
}

/**
 * The request that the next message of a branch would send, before it is sent; with `target`, the request after a switch. Made by the code that
 * sends, so that what is shown is what happens.
 */
export async function previewContext(
  env: Environment,
  projectId: ProjectId,
  query: {
    readonly ref: string;
    readonly message?: string | readonly ContentBlock[] | undefined;
    readonly target?: EnvelopeRequest | undefined;
  },
): Promise<ContextPreview> {
  const branch = await env.store.getBranch(projectId, query.ref);
  const branches = await env.store.listBranches(projectId);
  const envelope = resolveBranchConfig({
    source: branch.envelope,
    requested: query.target ?? {},
    defaults: defaultEnvelope(env),
    defaultModelOf: (provider) => env.providers.get(provider).deployment.defaultModel,
  });
  const plan = { projectId, envelope, keepToolsAfterBreak: branch.keepToolsAfterBreak };
  const loaded = await loadPath(env, branch.tipId, plan, branches);
  const next = query.message === undefined ? placeholder(loaded.path) : toTextBlocks(query.message);
  const path = next === null ? loaded.path : [...loaded.path, nextNode(projectId, loaded.path.at(-1), next)];
  const call = await planRequest(env, { ...loaded, path }, plan);
  return {
    branch,
    envelope,
    path,
    request: call.request,
    report: call.report,
    estimatedTokens: call.context.estimatedTokens,
    contextWindow: env.providers.get(envelope.provider).modelInfo(envelope.model).contextWindow,
    maxTokens: call.maxTokens,
    breakNodeId: call.context.breakNodeId,
    previousBody: () => previousBody(env, loaded, plan),
  };
}

async function previousBody(env: Environment, loaded: LoadedPath, plan: RequestPlan): Promise<string | null> {
  const reply = loaded.path.findLastIndex((node) => node.role === 'assistant' && !node.isError);
  if (reply <= 0) return null;
  const { request } = await planRequest(env, { ...loaded, path: loaded.path.slice(0, reply) }, plan);
  return request.body;
}

/** Stands in for the message that is not written yet: no request ends with a reply. Null where a message already waits for its answer. */
function placeholder(path: readonly TreeNode[]): readonly ContentBlock[] | null {
  const last = path.at(-1);
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
