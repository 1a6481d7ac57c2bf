import type { NodeId, TurnId } from '@bough/core';

export type RemovalMode = 'cascade' | 'reparent';

/** The nearest ancestor of a removed node that stays: what pointed to the node points there afterwards. */
export function keptAbove(
  id: NodeId,
  removed: ReadonlySet<NodeId>,
  parentOf: (node: NodeId) => NodeId | null,
): NodeId | null {
  let above = parentOf(id);
  // Only data changed by hand can make a node its own ancestor; without the count, looking for its end would have none.
  for (let steps = 0; above !== null && removed.has(above) && steps <= removed.size; steps += 1)
    above = parentOf(above);
  return above !== null && removed.has(above) ? null : above;
}

/** The turns that lose their last node: they are removed with it, because there is nothing left to say about them. */
export function emptiedTurns(
  removed: ReadonlySet<NodeId>,
  nodes: Iterable<{ readonly id: NodeId; readonly turnId: TurnId | null }>,
): ReadonlySet<TurnId> {
  const emptied = new Set<TurnId>();
  const kept = new Set<TurnId>();
  for (const { id, turnId } of nodes) if (turnId !== null) (removed.has(id) ? emptied : kept).add(turnId);
  for (const turn of kept) emptied.delete(turn);
  return emptied;
}
