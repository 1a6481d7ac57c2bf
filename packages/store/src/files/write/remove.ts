import type { NodeId, TurnId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { RemovalMode } from '../../removal.ts';
import { emptiedTurns, keptAbove } from '../../removal.ts';
import { reparented } from '../../reparented.ts';
import type { NodeFile } from '../format/node-file.ts';
import { withPlace } from '../format/node-file.ts';
import { readNode } from '../read/nodes.ts';
import type { Base } from '../state/base.ts';
import { childIdsOf, entryOf, entryOfNode, isOpen, subtreeOf, turnOf } from '../state/project-state.ts';
import type { TrashTicket } from '../../trash.ts';
import { keepNodes } from '../trash/keep.ts';
import type { ProjectChange } from './project-change.ts';

/** Removes a turn with all of its nodes from the project. */
export async function removeTurn(
  base: Base,
  draft: ProjectChange,
  turn: TurnId,
  mode: RemovalMode,
  ticket?: TrashTicket,
): Promise<readonly NodeId[]> {
  const { state } = draft;
  if (isOpen(turnOf(state, turn))) throw turnRunning(turn);
  const nodes = [...state.nodes.values()].filter(({ turnId }) => turnId === turn).map(({ id }) => id);
  const removed = await removeNodes(base, draft, nodes, mode);
  dropTurn(draft, turn);
  if (ticket !== undefined) await keepNodes(base, draft, ticket, turn);
  return removed;
}

/** Removes a node, or its whole subtree. */
export async function removeNode(
  base: Base,
  draft: ProjectChange,
  node: NodeId,
  mode: RemovalMode,
  ticket?: TrashTicket,
): Promise<readonly NodeId[]> {
  const removed = await removeNodes(base, draft, [node], mode);
  if (ticket !== undefined) await keepNodes(base, draft, ticket, null);
  return removed;
}

/** Removes nodes, or their whole subtrees, from the project, with everything that belongs to them. */
async function removeNodes(
  base: Base,
  draft: ProjectChange,
  nodes: readonly NodeId[],
  mode: RemovalMode,
): Promise<readonly NodeId[]> {
  const { state } = draft;
  const below = new Set(nodes.flatMap((node) => (entryOf(state, node), subtreeOf(state, node))));
  requireQuiet(draft, below);
  const removed = mode === 'cascade' ? [...below] : nodes;
  for (const id of removed) draft.removed.add(id);
  const above = (id: NodeId): NodeId | null => keptAbove(id, draft.removed, (node) => entryOf(state, node).parentId);

  for (const id of removed) {
    for (const child of childIdsOf(state, id)) {
      if (draft.removed.has(child)) continue;
      const entry = entryOf(state, child);
      const moved = reparented(await readNode(base, state, entry), above(id));
      draft.moved.set(child, entryOfNode(moved, entry.order, entry.file, entry.isLooms));
      draft.edits.set(child, (file: NodeFile) => withPlace(file, moved));
    }
  }
  for (const file of state.branches.values()) {
    const { tipId, forkedFromId } = file.branch;
    const gone = (id: NodeId | null): boolean => id !== null && draft.removed.has(id);
    if (!gone(tipId) && !gone(forkedFromId)) continue;
    const stays = (id: NodeId | null): NodeId | null => (id !== null && draft.removed.has(id) ? above(id) : id);
    draft.branches.set(file.branch.id, {
      ...file,
      branch: { ...file.branch, tipId: stays(tipId), forkedFromId: stays(forkedFromId) },
    });
  }
  removeFromTurns(draft);
  return removed;
}

/** A turn that runs in a subtree, or on a branch that ends there, would write below a removed node. */
function requireQuiet({ state }: ProjectChange, subtree: ReadonlySet<NodeId>): void {
  const inUse = new Set<string>();
  for (const id of subtree) inUse.add(entryOf(state, id).turnId ?? '');
  for (const file of state.turns.values()) {
    if (!isOpen(file)) continue;
    const { id, branchId } = file.turn;
    const tip = branchId === null ? null : (state.branches.get(branchId)?.branch.tipId ?? null);
    if (inUse.has(id) || (tip !== null && subtree.has(tip))) throw turnRunning(id);
  }
}

function turnRunning(id: TurnId): ConflictError {
  return new ConflictError('turn_running', 'A turn is running there. Wait for it or interrupt it first.', id);
}

/** Calls are removed with the node that they made, and a turn with its last node. */
function removeFromTurns(draft: ProjectChange): void {
  const { state, removed } = draft;
  for (const file of state.turns.values()) {
    const kept = file.calls.filter(({ call }) => call.nodeId === null || !removed.has(call.nodeId));
    for (const { call } of file.calls)
      if (call.nodeId !== null && removed.has(call.nodeId)) draft.raws.set(call.id, null);
    if (kept.length < file.calls.length) draft.turns.set(file.turn.id, { ...file, calls: kept });
  }
  for (const turn of emptiedTurns(removed, state.nodes.values())) dropTurn(draft, turn);
}

function dropTurn(draft: ProjectChange, turn: TurnId): void {
  const file = draft.state.turns.get(turn);
  if (file === undefined) return;
  for (const { call } of file.calls) draft.raws.set(call.id, null);
  draft.turns.set(turn, null);
  draft.droppedLogs.add(turn);
}
