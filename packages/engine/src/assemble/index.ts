import type { Branch, BranchId, Envelope, Lock, NodeId, ProjectId, TreeNode } from '@bough/core';
import type { CallSources, CallTarget, PreparedCall, Recall, Settled } from '@bough/providers';
import { createRecall, prepareCall, prepareCallBehind } from '@bough/providers';
import type { StoredContext } from '@bough/store';
import type { Environment } from '../environment.ts';

export interface RequestPlan {
  readonly projectId: ProjectId;
  readonly envelope: Envelope;
  readonly keepToolsAfterBreak: boolean;
  readonly toolChoice?: 'auto' | 'none';
  readonly previousResponse?: { readonly id: string; readonly nodeId: NodeId } | undefined;
}

/** A path with what building a request from it needs. */
export interface LoadedPath {
  readonly path: readonly TreeNode[];
  /** What of the path was not read, because this process remembers it. */
  readonly front: Settled | null;
  readonly sources: CallSources & { readonly recall: Recall };
  /** The sources of the whole path, for a request that cannot be made behind the front. */
  readonly readAll: () => Promise<LoadedPath['sources']>;
}

/** Reads the path to a node in one round trip, without the front that the requests before this one were made with. An empty branch has an empty path. */
export async function loadPath(
  env: Environment,
  tip: NodeId | null,
  plan: RequestPlan,
  branches: readonly Branch[],
): Promise<LoadedPath> {
  const { store } = env;
  const target = targetOf(env, plan);
  const recall = recallOf(store);
  const locks = new Map<BranchId, Lock>(branches.map((branch) => [branch.id, branch.envelope]));
  const lockOf = (branch: BranchId): Lock | null => locks.get(branch) ?? null;
  const none: LoadedPath['sources'] = { recall, lockOf, rawOf: () => undefined };
  if (tip === null) return { path: [], front: null, sources: none, readAll: () => Promise.resolve(none) };
  const read = (ends: readonly NodeId[]) => store.readContext(plan.projectId, tip, target.provider.renderingKeys, ends);
  const sourcesOf = ({ raws, renderings, versions }: StoredContext): LoadedPath['sources'] => ({
    recall,
    lockOf,
    rawOf: (node) => raws.get(node),
    renderingOf: (node, key) => renderings.get(node)?.get(key),
    versionOf: (node) => versions.get(node),
  });
  const readAll = async () => sourcesOf(await read([]));
  const stored = await read(recall.ends(plan.projectId, target));
  if (stored.front === null) return { path: stored.path, front: null, sources: sourcesOf(stored), readAll };
  const front = recall.front(stored.front, target);
  if (front !== null) return { path: [...front.nodes, ...stored.path], front, sources: sourcesOf(stored), readAll };
  const whole = await read([]);
  return { path: whole.path, front: null, sources: sourcesOf(whole), readAll };
}

/** What this process remembers of the nodes of a store. */
const recalls = new WeakMap<Environment['store'], Recall>();

function recallOf(store: Environment['store']): Recall {
  const known = recalls.get(store) ?? createRecall();
  recalls.set(store, known);
  return known;
}

/** The request that the next call sends, and the one that a preview shows: the same code, so that they cannot differ. */
export async function planRequest(env: Environment, loaded: LoadedPath, plan: RequestPlan): Promise<PreparedCall> {
  const { path, front, readAll } = loaded;
  const target = targetOf(env, plan);
  const { previousResponse } = plan;
  if (front === null) return prepareCall(path, target, { ...loaded.sources, previousResponse });
  const call = prepareCallBehind(front, path, target, { ...loaded.sources, previousResponse });
  return call ?? prepareCall(path, target, { ...(await readAll()), previousResponse });
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
