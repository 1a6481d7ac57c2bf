import type { NodeId, TurnId } from '@bough/core';
import { historyRange, listedCall } from '../../history-range.ts';
import type { HistoryPage, HistoryQuery } from '../../store.ts';
import type { Base } from '../state/base.ts';
import type { NodeEntry, ProjectState } from '../state/project-state.ts';
import { childIdsOf, pathOf } from '../state/project-state.ts';
import { readNodes } from './nodes.ts';

/** Some turns of a path. Only the nodes of the page are read. */
export async function readHistory(base: Base, state: ProjectState, query: HistoryQuery): Promise<HistoryPage> {
  const path = pathOf(state, query.tip);
  const { start, end } = historyRange(path, query);
  const page = path.slice(start, end);
  const turns = turnsOf(state, page);
  const siblings: Record<NodeId, readonly NodeId[]> = {};
  for (const { id, parentId } of page) {
    const all = childIdsOf(state, parentId);
    if (all.length > 1) siblings[id] = [...all];
  }
  return {
    nodes: await readNodes(base, state, page),
    turns: turns.map(({ turn }) => turn),
    calls: turns.flatMap(({ calls }) => calls.map(({ call }) => listedCall(call))),
    siblings,
    hasMore: page[0] !== undefined && page[0].parentId !== null,
    hasNewer: end < path.length,
  };
}

function turnsOf(state: ProjectState, page: readonly NodeEntry[]) {
  const ids = new Set<TurnId>();
  for (const { turnId } of page) if (turnId !== null) ids.add(turnId);
  return [...ids].flatMap((id) => state.turns.get(id) ?? []);
}
