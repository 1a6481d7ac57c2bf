import type { Branch, NodeId, TreeNode, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import { draftBlobs } from '../blobs/project-blobs.ts';
import { writeLine } from '../lines/line.ts';
import { turnKey } from '../meta/layout.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import type { OpenProject } from '../project/open-project.ts';
import { type NewNode, planHeads, type TipChange } from '../project/plan-heads.ts';
import type { ProjectState } from '../project/state.ts';

/** A turn that begins now, and the branch that begins with it. */
export interface Begins {
  readonly turnId: TurnId;
  readonly branch: Pick<Branch, 'id' | 'name'> | undefined;
}

/** Puts new nodes and the moves of tips into the draft. Returns the update of the state. */
export async function draftNodes(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  nodes: readonly TreeNode[],
  tips: readonly TipChange[],
  begins: Begins | null = null,
): Promise<() => void> {
  const added = newNodes(state, nodes, begins);
  const known = new Set(nodes.map(({ id }) => id));
  for (const { next } of tips) if (next != null && !known.has(next)) state.index.get(next);
  await draftBlobs(project, draft, state, nodes);
  // The trails of a project are also kept outside of its repository; a crash before that shows in the newest commit.
  if (nodes.some(({ trail }) => trail !== undefined)) draft.isNoted = true;
  const plan = await planHeads({ ...project, state, objects: draft.objects }, added, tips);
  draft.moves.push(...plan.moves);
  return plan.apply;
}

/** Checks the new nodes against what is stored: ids are free, parents and turns exist. */
function newNodes(state: ProjectState, nodes: readonly TreeNode[], begins: Begins | null): readonly NewNode[] {
  const ids = new Set<NodeId>();
  const first = state.index.nextOrder();
  return nodes.map((node, place) => {
    if (ids.has(node.id) || state.index.find(node.id)) {
      throw new ConflictError('id_taken', `There already is a node with the id "${node.id}".`, node.id);
    }
    if (node.parentId !== null && !ids.has(node.parentId)) state.index.get(node.parentId);
    if (node.turnId !== null && node.turnId !== begins?.turnId) requireTurn(state, node.turnId);
    ids.add(node.id);
    const order = first + place;
    return { node, order, line: Buffer.from(writeLine({ node, order }, branchName(state, node, begins))) };
  });
}

function branchName(state: ProjectState, { createdOnBranch: id }: TreeNode, begins: Begins | null): string | null {
  if (id === null) return null;
  return (id === begins?.branch?.id ? begins.branch : state.branches.get(id))?.name ?? null;
}

export function hasTurn(state: ProjectState, id: TurnId): boolean {
  return state.openTurns.has(id) || state.turns.has(turnKey(id)) || state.oldTurns.has(id);
}

export function requireTurn(state: ProjectState, id: TurnId): void {
  if (!hasTurn(state, id)) throw new UnknownIdError('turn', id);
}
