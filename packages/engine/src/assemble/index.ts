import type { Branch, BranchId, Envelope, Lock, NodeId, ProjectId, TreeNode } from '@bough/core';
import type { CallSources, CallTarget, PreparedCall, Recall } from '@bough/providers';
import { createRecall, prepareCall } from '@bough/providers';
import type { Environment } from '../environment.ts';

export interface RequestPlan {
  readonly projectId: ProjectId;
  readonly envelope: Envelope;
  readonly keepToolsAfterBreak: boolean;
  readonly toolChoice?: 'auto' | 'none';
  readonly previousResponse?: { readonly id: string; readonly nodeId: NodeId } | undefined;
}

/** A path with everything that building a request from it needs. */
export interface LoadedPath {
  readonly path: readonly TreeNode[];
  readonly sources: CallSources;
}

/** Reads the path to a node in one round trip. An empty branch has an empty path. */
export async function loadPath(
  env: Environment,
  projectId: ProjectId,
  tip: NodeId | null,
  envelope: Pick<Envelope, 'provider'>,
  branches: readonly Branch[],
): Promise<LoadedPath> {
  const locks = new Map<BranchId, Lock>(branches.map((branch) => [branch.id, branch.envelope]));
  const lockOf = (branch: BranchId): Lock | null => locks.get(branch) ?? null;
  if (tip === null) return { path: [], sources: { rawOf: () => undefined, lockOf } };
  const { renderingKeys } = env.providers.get(envelope.provider);
  const stored = await env.store.readContext(projectId, tip, renderingKeys);
  return {
    path: stored.path,
    sources: {
      recall: recallOf(env.store),
      rawOf: (node) => stored.raws.get(node),
      renderingOf: (node, key) => stored.renderings.get(node)?.get(key),
      lockOf,
    },
  };
}

/** What this process remembers of the nodes of a store. */
const recalls = new WeakMap<Environment['store'], Recall>();

function recallOf(store: Environment['store']): Recall {
  const known = recalls.get(store) ?? createRecall();
  recalls.set(store, known);
  return known;
}

/** The request that the next call sends, and the one that a preview shows: the same code, so that they cannot differ. */
export function planRequest(env: Environment, loaded: LoadedPath, plan: RequestPlan): PreparedCall {
  return prepareCall(loaded.path, targetOf(env, plan), { ...loaded.sources, previousResponse: plan.previousResponse });
}

function targetOf(env: Environment, { envelope, keepToolsAfterBreak, toolChoice }: RequestPlan): CallTarget {
  return {
    provider: env.providers.get(envelope.provider),
    model: envelope.model,
    systemPrompt: envelope.systemPrompt,
    tools: env.tools.definitions(envelope.tools),
    thinking: envelope.thinking,
    keepToolsAfterBreak,
    ...(toolChoice === undefined ? {} : { toolChoice }),
  };
}
