import type { Call, NodeId, ProjectId, TreeNode, TurnId } from '@bough/core';
import { historyRange } from '../../history-range.ts';
import type { HistoryPage, Store } from '../../store.ts';
import { graphNodeOf } from '../../on-disk/node-summary.ts';
import type { TurnCache } from '../../on-disk/turn-cache/index.ts';
import { cachedPath } from '../../on-disk/turn-cache/path.ts';
import { isRenderingOf, renderingDirectory } from '../meta/layout.ts';
import { readRendering } from '../meta/records.ts';
import type { OpenProject } from '../project/open-project.ts';
import { branchesInOrder, branchOf } from '../project/state.ts';
import { byStorage, type IndexedNode, type NodeIndex, type PathFile } from '../tree/node-index.ts';
import { callsOf, directoryOf, rawsOf, readEntry, readTurnOf, subjectOf } from './turn-files.ts';

type Reading = Pick<Store, 'history' | 'graph' | 'search' | 'readContext'>;

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

    search: async (id, text, limit) => {
      const project = await open(id);
      const wanted = text.toLowerCase();
      const found: { readonly node: TreeNode; readonly place: IndexedNode }[] = [];
      // File by file: each is in memory only while it is searched.
      for (const places of byFile(project.state().index.all())) {
        const nodes = await project.nodes.read(places);
        for (const [at, node] of nodes.entries()) {
          const place = places[at];
          if (place && node.content.toLowerCase().includes(wanted)) found.push({ node, place });
        }
      }
      return found
        .sort((a, b) => byStorage(b.place, a.place))
        .slice(0, limit)
        .map(({ node }) => node);
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
  return calls.flat().map(({ call }) => call);
}

function siblingsOf(index: NodeIndex, page: readonly IndexedNode[]): Record<NodeId, readonly NodeId[]> {
  const families = page
    .map((node) => [node.id, index.children(node.parentId).map(({ id }) => id)] as const)
    .filter(([, family]) => family.length > 1);
  return Object.fromEntries(families);
}

function byFile(nodes: readonly IndexedNode[]): Iterable<readonly IndexedNode[]> {
  const files = new Map<PathFile, IndexedNode[]>();
  for (const node of nodes) {
    const group = files.get(node.file);
    if (group) group.push(node);
    else files.set(node.file, [node]);
  }
  return files.values();
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
