import type { NodeId, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { HistoryPage, HistoryQuery } from '../../store.ts';
import type { Base } from '../state/base.ts';
import type { NodeEntry, ProjectState } from '../state/project-state.ts';
import { childIdsOf, pathOf } from '../state/project-state.ts';
import { readNodes } from './nodes.ts';

/** The newest turns of a path. Only the nodes of the page are read. */
export async function readHistory(base: Base, state: ProjectState, query: HistoryQuery): Promise<HistoryPage> {
  const path = pathOf(state, query.tip);
  const page = pageOf(path.slice(0, endOf(path, query.before)), query.limit);
  const turns = turnsOf(state, page);
  const siblings: Record<NodeId, readonly NodeId[]> = {};
  for (const { id, parentId } of page) {
    const all = childIdsOf(state, parentId);
    if (all.length > 1) siblings[id] = [...all];
  }
  return {
    nodes: await readNodes(base, state, page),
    turns: turns.map(({ turn }) => turn),
    calls: turns.flatMap(({ calls }) => calls.map(({ call }) => call)),
    siblings,
    hasMore: page[0] !== undefined && page[0].parentId !== null,
  };
}

function endOf(path: readonly NodeEntry[], before: NodeId | undefined): number {
  if (before === undefined) return path.length;
  const index = path.findIndex(({ id }) => id === before);
  if (index === -1) throw new UnknownIdError('node', before);
  return index;
}

function pageOf(path: readonly NodeEntry[], limit: number): readonly NodeEntry[] {
  let start = path.length;
  for (let turns = 0; turns < limit && start > 0; turns += 1) {
    start -= 1;
    while (start > 0 && !startsTurn(path[start], path[start - 1])) start -= 1;
  }
  return path.slice(start);
}

/** A user message without a turn, or of a different turn than the node before it. */
function startsTurn(entry: NodeEntry | undefined, before: NodeEntry | undefined): boolean {
  return entry?.role === 'user' && (entry.turnId === null || entry.turnId !== before?.turnId);
}

function turnsOf(state: ProjectState, page: readonly NodeEntry[]) {
  const ids = new Set<TurnId>();
  for (const { turnId } of page) if (turnId !== null) ids.add(turnId);
  return [...ids].flatMap((id) => state.turns.get(id) ?? []);
}
