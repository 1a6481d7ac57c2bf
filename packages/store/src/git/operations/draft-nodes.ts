import type { NodeId, TreeNode, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import { writeLine } from '../lines/line.ts';
import { turnKey } from '../meta/layout.ts';
import type { Draft } from '../project/draft.ts';
import type { OpenProject } from '../project/open-project.ts';
import { type NewNode, planHeads, type TipChange } from '../project/plan-heads.ts';
import type { ProjectState } from '../project/state.ts';

/** Puts new nodes and the moves of tips into the draft. Returns what tells the state. */
export async function draftNodes(
  project: OpenProject,
  draft: Draft,
  state: ProjectState,
  nodes: readonly TreeNode[],
  tips: readonly TipChange[],
  begun: TurnId | null = null,
): Promise<() => void> {
  const added = newNodes(state, nodes, begun);
  const known = new Set(nodes.map(({ id }) => id));
  for (const { next } of tips) if (next != null && !known.has(next)) state.index.get(next);
  const plan = await planHeads({ ...project, state, objects: draft.objects }, added, tips);
  draft.moves.push(...plan.moves);
  return plan.apply;
}

/** Checks what is to be stored against what is there: ids are free, parents and turns exist. `begun` is a turn that begins now. */
function newNodes(state: ProjectState, nodes: readonly TreeNode[], begun: TurnId | null): readonly NewNode[] {
  const ids = new Set<NodeId>();
  const first = state.index.nextOrder();
  return nodes.map((node, place) => {
    if (ids.has(node.id) || state.index.find(node.id)) {
      throw new ConflictError('id_taken', `There already is a node with the id "${node.id}".`, node.id);
    }
    if (node.parentId !== null && !ids.has(node.parentId)) state.index.get(node.parentId);
    if (node.turnId !== null && node.turnId !== begun) requireTurn(state, node.turnId);
    ids.add(node.id);
    const order = first + place;
    const branch = node.createdOnBranch === null ? undefined : state.branches.get(node.createdOnBranch);
    return { node, order, line: Buffer.from(writeLine({ node, order }, branch?.name ?? null)) };
  });
}

export function hasTurn(state: ProjectState, id: TurnId): boolean {
  return state.openTurns.has(id) || state.turns.has(turnKey(id)) || state.oldTurns.has(id);
}

export function requireTurn(state: ProjectState, id: TurnId): void {
  if (!hasTurn(state, id)) throw new UnknownIdError('turn', id);
}
