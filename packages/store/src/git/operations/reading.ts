import type { Call, NodeId, ProjectId, TurnId } from '@bough/core';
import { historyRange, listedCall } from '../../history-range.ts';
import type { HistoryPage, Store } from '../../store.ts';
import { graphNodeOf } from '../../on-disk/node-summary.ts';
import type { TurnCache } from '../../on-disk/turn-cache/index.ts';
import { cachedPath } from '../../on-disk/turn-cache/path.ts';
import { isRenderingOf, renderingDirectory } from '../meta/layout.ts';
import { readRendering } from '../meta/records.ts';
import type { OpenProject } from '../project/open-project.ts';
import { branchesInOrder, branchOf } from '../project/state.ts';
import { byStorage, type IndexedNode, type NodeIndex } from '../tree/node-index.ts';
import { callsOf, directoryOf, rawsOf, readEntry, readTurnOf, subjectOf } from './turn-files.ts';

type Reading = Pick<Store, 'history' | 'graph' | 'readContext'>;

export function readingOperations(open: (id: ProjectId) => Promise<OpenProject>, cache: TurnCache): Reading {
  return {
    history: async (id, query) => {
      const project = await open(id);
      const { index } = project.state();
      const path = index.path(query.tip);
      const { start, end } = historyRange(path, query);
      // Only the nodes of the page are read.
      const page = path.slice(start, end);
      const turns = [...new Set(page.flatMap(({ turnId }) => turnId ?? []))];
      return {
        nodes: await project.nodes.readPath(page),
        turns: await Promise.all(turns.map((turn) => readTurnOf(project, turn))),
        calls: await callsOfTurns(project, turns),
        siblings: siblingsOf(index, page),
        hasMore: (page[0]?.parentId ?? null) !== null,
        hasNewer: end < path.length,
      } satisfies HistoryPage;
    },

    graph: async (id) => {
      const state = (await open(id)).state();
      return {
        nodes: [...state.index.all()].sort(byStorage).map(graphNodeOf),
        branches: branchesInOrder(state).map((record) => branchOf(state, record)),
      };
    },

    readContext: async (id, tip, renderingKeyPrefix, slot) => {
      const project = await open(id);
      const { index, includeThinking } = project.state();
      const included = (node: IndexedNode): boolean => includeThinking.get(node.id) ?? node.includeThinkingInContext;
      const { behind, ...front } = await cachedPath(cache, id, index.path(tip), slot, included);
      const [nodes, raws, renderings] = await Promise.all([
        project.nodes.readPath(behind),
        rawsOf(project, behind),
        renderingsOf(project, behind, renderingKeyPrefix),
      ]);
      return { ...front, nodes, raws, renderings };
    },
  };
}

async function callsOfTurns(project: OpenProject, turns: readonly TurnId[]): Promise<readonly Call[]> {
  const calls = await Promise.all(turns.map((turn) => callsOf(project, turn)));
  return calls.flat().map(({ call }) => listedCall(call));
}

function siblingsOf(index: NodeIndex, page: readonly IndexedNode[]): Record<NodeId, readonly NodeId[]> {
  const families = page
    .map((node) => [node.id, index.children(node.parentId).map(({ id }) => id)] as const)
    .filter(([, family]) => family.length > 1);
  return Object.fromEntries(families);
}

/** By node, then by key. */
async function renderingsOf(
  project: OpenProject,
  path: readonly IndexedNode[],
  prefix: string,
): Promise<ReadonlyMap<NodeId, ReadonlyMap<string, string>>> {
  const found = await Promise.all(
    path.map(async (node) => {
      const directory = renderingDirectory(node.id, node.order);
      const entries = await directoryOf(project, directory);
      const names = [...entries.keys()].filter((name) => isRenderingOf(name, node.id));
      return Promise.all(
        names.map(async (name) =>
          readRendering(await readEntry(project, entries, name), subjectOf(project, `${directory}/${name}`)),
        ),
      );
    }),
  );
  const renderings = new Map<NodeId, Map<string, string>>();
  for (const { nodeId, key, bytes } of found.flat()) {
    if (!key.startsWith(prefix)) continue;
    const keys = renderings.get(nodeId) ?? new Map<string, string>();
    renderings.set(nodeId, keys.set(key, bytes));
  }
  return renderings;
}
