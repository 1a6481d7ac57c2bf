import type { Call, NodeId, TreeNode, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { HistoryQuery } from './store.ts';

/** What is needed of a node to know which turns a page holds. */
interface PathNode {
  readonly id: NodeId;
  readonly role: TreeNode['role'];
  readonly turnId: TurnId | null;
}

export interface HistoryRange {
  readonly start: number;
  /** The first place after the page. */
  readonly end: number;
  /** How many turns it holds. */
  readonly turns: number;
}

/** Which part of a path a page is: whole turns. What comes before the first user node counts as a turn of its own. */
export function historyRange(path: readonly PathNode[], query: HistoryQuery): HistoryRange {
  const { before, after, around, limit } = query;
  const first = after == null ? 0 : placeOf(path, after) + 1;
  const end =
    before !== undefined
      ? placeOf(path, before)
      : after !== undefined
        ? endOfTurns(path, first, limit)
        : around !== undefined
          ? // Half of the page follows the turn that was asked for.
            endOfTurns(path, placeOf(path, around) + 1, Math.floor(limit / 2))
          : path.length;
  let start = end;
  let turns = 0;
  for (; turns < limit && start > first; turns += 1) {
    start -= 1;
    while (start > first && !startsTurn(path, start)) start -= 1;
  }
  return { start, end, turns };
}

/** Where that many turns have ended that begin at or after a place; what is left of a turn comes first. */
function endOfTurns(path: readonly PathNode[], from: number, turns: number): number {
  let begun = 0;
  let end = from;
  for (; end < path.length; end += 1) {
    if (!startsTurn(path, end)) continue;
    if (begun === turns) break;
    begun += 1;
  }
  return end;
}

/** A user message without a turn, or of a different turn than the node before it; and the first node of the path. */
function startsTurn(path: readonly PathNode[], at: number): boolean {
  const node = path[at];
  return at === 0 || (node?.role === 'user' && (node.turnId === null || node.turnId !== path[at - 1]?.turnId));
}

function placeOf(path: readonly PathNode[], node: NodeId): number {
  const index = path.findIndex(({ id }) => id === node);
  if (index < 0) throw new UnknownIdError('node', node);
  return index;
}

/** A call as a page lists it. */
export function listedCall(call: Call): Call {
  const { exchange: _, ...listed } = call;
  return listed;
}
