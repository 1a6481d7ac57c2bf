import type { NodeId, TreeNode, Turn, TurnId } from '@bough/core';
import { inferThinkingMode } from '@bough/core';
import type { SessionLine } from './branches.ts';
import type { SessionIds } from './records.ts';

/**
 * Gives each node its turn. What a client says in several messages one after the other (its surroundings, then the
 * person's words) belongs together. A reply that follows no message, such as a summary at the beginning, has a turn of
 * its own: its raw is kept with a turn.
 */
export function turnsOf(
  nodes: readonly TreeNode[],
  lines: readonly SessionLine[],
  space: SessionIds,
): { readonly turns: readonly Turn[]; readonly placed: readonly TreeNode[] } {
  const branchOf = new Map<NodeId, SessionLine>();
  for (const line of lines) for (const id of line.own) branchOf.set(id, line);
  const roles = new Map(nodes.map(({ id, role }) => [id, role]));
  const turnOf = new Map<NodeId, TurnId>();
  const members = new Map<TurnId, TreeNode[]>();
  for (const node of nodes) {
    const above = node.parentId === null ? undefined : turnOf.get(node.parentId);
    const opens = node.role === 'user' && (node.parentId === null || roles.get(node.parentId) !== 'user');
    const turn = node.turnId ?? (above === undefined || opens ? space.turn(`of ${node.id}`) : above);
    turnOf.set(node.id, turn);
    const group = members.get(turn);
    if (group === undefined) members.set(turn, [node]);
    else group.push(node);
  }
  const turns = [...members].flatMap(([id, group]): Turn[] => {
    const [first] = group;
    if (first === undefined) return [];
    return [
      {
        id,
        projectId: space.project,
        // The branch: a turn that grows can only be continued on one.
        branchId: branchOf.get(first.id)?.branch.id ?? null,
        isThinkingMode: inferThinkingMode(group.filter(({ role }) => role !== 'user')),
        status: statusOf(group),
        createdAt: first.createdAt,
      },
    ];
  });
  return { turns, placed: nodes.map((node) => ({ ...node, turnId: turnOf.get(node.id) ?? null })) };
}

function statusOf(group: readonly TreeNode[]): Turn['status'] {
  const replies = group.filter(({ role }) => role === 'assistant');
  if (replies.some(({ isError }) => isError)) return 'error';
  return replies.length === 0 || replies.some(({ interrupted }) => interrupted) ? 'interrupted' : 'complete';
}
