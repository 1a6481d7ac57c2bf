import type { NodeId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import { reparented } from '../../reparented.ts';
import type { NodeFile } from '../format/node-file.ts';
import { withPlace } from '../format/node-file.ts';
import { readNode } from '../read/nodes.ts';
import type { Base } from '../state/base.ts';
import { childIdsOf, entryOf, entryOfNode, isOpen, subtreeOf } from '../state/project-state.ts';
import type { ProjectChange } from './project-change.ts';

/** Removes a node, or its whole subtree, from the project, with everything that belongs to it. */
export async function removeNodes(
  base: Base,
  draft: ProjectChange,
  node: NodeId,
  mode: 'cascade' | 'reparent',
): Promise<readonly NodeId[]> {
  const { state } = draft;
  const { parentId } = entryOf(state, node);
  const subtree = subtreeOf(state, node);
  requireQuiet(draft, new Set(subtree));
  const removed = mode === 'cascade' ? subtree : [node];
  for (const id of removed) draft.removed.add(id);

  if (mode === 'reparent') {
    for (const child of childIdsOf(state, node)) {
      const entry = entryOf(state, child);
      const moved = reparented(await readNode(base, state, entry), parentId);
      draft.moved.set(child, entryOfNode(moved, entry.order, entry.file));
      draft.edits.set(child, (file: NodeFile) => withPlace(file, moved));
    }
  }
  for (const file of state.branches.values()) {
    const { tipId, forkedFromId } = file.branch;
    const gone = (id: NodeId | null): boolean => id !== null && draft.removed.has(id);
    if (!gone(tipId) && !gone(forkedFromId)) continue;
    draft.branches.set(file.branch.id, {
      ...file,
      branch: {
        ...file.branch,
        tipId: gone(tipId) ? parentId : tipId,
        forkedFromId: gone(forkedFromId) ? parentId : forkedFromId,
      },
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
    if (inUse.has(id) || (tip !== null && subtree.has(tip))) {
      throw new ConflictError('turn_running', 'A turn is running there. Wait for it or interrupt it first.', id);
    }
  }
}

/** Calls are removed with the node that they made, and a turn with its last node. */
function removeFromTurns(draft: ProjectChange): void {
  const { state, removed } = draft;
  const left = new Set<string>();
  for (const entry of state.nodes.values()) if (entry.turnId !== null && !removed.has(entry.id)) left.add(entry.turnId);
  const touched = new Set([...removed].map((id) => entryOf(state, id).turnId));
  for (const file of state.turns.values()) {
    const kept = file.calls.filter(({ call }) => call.nodeId === null || !removed.has(call.nodeId));
    for (const { call } of file.calls)
      if (call.nodeId !== null && removed.has(call.nodeId)) draft.raws.set(call.id, null);
    if (touched.has(file.turn.id) && !left.has(file.turn.id)) {
      for (const { call } of file.calls) draft.raws.set(call.id, null);
      draft.turns.set(file.turn.id, null);
      draft.droppedLogs.add(file.turn.id);
    } else if (kept.length < file.calls.length) draft.turns.set(file.turn.id, { ...file, calls: kept });
  }
}
