import type { GatewaySessionView } from '@bough/api';
import type { Branch, NodeId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { ListedProject, Statistics, Store } from '@bough/store';
import type { GatewayModes } from './modes.ts';

/** A page of the projects that other clients talk into, the last used first, with what they used. */
export async function sessionsPage(
  store: Store,
  modes: GatewayModes,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ sessions: GatewaySessionView[]; total: number }> {
  const { projects, total } = await store.findProjects({ ...page, recorded: true });
  const open = await store.openTurns();
  const running = new Set(open.map(({ projectId }) => projectId));
  const found = await Promise.all(projects.map((project) => session(store, modes, project, running.has(project.id))));
  return { sessions: found.filter((each) => each !== null), total };
}

/** Null for a project that was deleted meanwhile. */
async function session(
  store: Store,
  modes: GatewayModes,
  { id, name, lastUsedAt }: ListedProject,
  running: boolean,
): Promise<GatewaySessionView | null> {
  try {
    const [branches, { recorded, repairs }] = await Promise.all([store.listBranches(id), store.statistics(id)]);
    const own = branches.filter((branch) => branch.recorded !== undefined);
    const sum = (key: 'count' | 'repaired' | TokenKey): number => recorded.reduce((all, group) => all + group[key], 0);
    const costs = recorded.flatMap(({ cost }) => cost ?? []);
    return {
      projectId: id,
      name,
      lastUsedAt,
      running,
      mode: modes.of(id),
      branches: own.length,
      clients: unique([...recorded.map(({ client }) => client), ...own.flatMap((each) => each.recorded?.client ?? [])]),
      models: modelsOf(recorded, own),
      requests: sum('count'),
      repaired: sum('repaired'),
      routed: recorded.filter(({ mode }) => mode === 'route').reduce((all, { count }) => all + count, 0),
      inputTokens: sum('inputTokens'),
      cachedInputTokens: sum('cachedInputTokens'),
      cacheWriteTokens: sum('cacheWriteTokens'),
      outputTokens: sum('outputTokens'),
      cost: costs.length === 0 ? null : costs.reduce((all, cost) => all + cost, 0),
      repairs: byRule(repairs),
      newestTurnId: await newestTurn(store, id, own),
    };
  } catch (error) {
    if (error instanceof UnknownIdError) return null;
    throw error;
  }
}

type TokenKey = 'inputTokens' | 'cachedInputTokens' | 'cacheWriteTokens' | 'outputTokens';

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

function modelsOf(recorded: Statistics['recorded'], own: readonly Branch[]): GatewaySessionView['models'] {
  const named = [...recorded, ...own.map(({ envelope }) => envelope)];
  const byName = new Map(named.map(({ provider, model }) => [`${provider} ${model}`, { provider, model }]));
  return [...byName.values()];
}

function byRule(repairs: Statistics['repairs']): GatewaySessionView['repairs'] {
  const counts = new Map<string, number>();
  for (const { rule, count } of repairs) counts.set(rule, (counts.get(rule) ?? 0) + count);
  return [...counts].map(([rule, count]) => ({ rule, count }));
}

/** Of the conversation itself if there is one: what ran beside it is rarely what somebody looks for. */
async function newestTurn(store: Store, project: Branch['projectId'], own: readonly Branch[]): Promise<string | null> {
  const talks = own.filter(({ recorded }) => recorded?.kind === 'main');
  const tips = (talks.length === 0 ? own : talks).flatMap(({ tipId }): NodeId[] => (tipId === null ? [] : [tipId]));
  if (tips.length === 0) return null;
  const nodes = await store.getNodes(project, tips);
  return nodes.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0]?.turnId ?? null;
}
