import { isCanvasNode } from '../canvas/index.ts';
import type { NodeId, ProjectId, TreeNode, Turn, TurnId } from '../entities/index.ts';
import { mergeIn } from '../merge/index.ts';
import { inferThinkingMode } from './groups.ts';

export interface Backfill {
  readonly turns: readonly Turn[];
  /** The turn of every node that had none. */
  readonly assignments: ReadonlyMap<NodeId, TurnId>;
}

/**
 * Gives turns to nodes from before turns were stored. Each user message opens a turn, which takes what follows until
 * the next one. In a tree, "what follows" is everything below; nodes above the first user message stay without a turn.
 * `nodes` must hold parents before children. Nodes that have a turn are left alone.
 */
export function backfillTurns(
  project: ProjectId,
  nodes: readonly TreeNode[],
  newTurnId: (user: TreeNode) => TurnId,
): Backfill {
  const assignments = new Map<NodeId, TurnId>();
  const opened: { turnId: TurnId; user: TreeNode; reply: TreeNode[] }[] = [];
  const replies = new Map<TurnId, TreeNode[]>();
  const turnOf = new Map<NodeId, TurnId | null>();

  for (const node of nodes) {
    if (node.turnId !== null) {
      turnOf.set(node.id, node.turnId);
      continue;
    }
    if (node.role === 'user' && !isBeside(node)) {
      const turnId = newTurnId(node);
      const reply: TreeNode[] = [];
      opened.push({ turnId, user: node, reply });
      replies.set(turnId, reply);
      assignments.set(node.id, turnId);
      turnOf.set(node.id, turnId);
      continue;
    }
    const inherited = node.parentId === null ? null : (turnOf.get(node.parentId) ?? null);
    turnOf.set(node.id, inherited);
    if (inherited === null || node.role === 'user') continue;
    assignments.set(node.id, inherited);
    replies.get(inherited)?.push(node);
  }

  const turns = opened.map(({ turnId, user, reply }): Turn => ({
    id: turnId,
    projectId: project,
    branchId: user.createdOnBranch,
    isThinkingMode: inferThinkingMode(reply),
    status: statusOf(reply),
    createdAt: user.createdAt,
  }));
  return { turns, assignments };
}

/** A version of the canvas, and what was brought from another branch, wait for no answer: neither begins a turn. */
const isBeside = (node: TreeNode): boolean => isCanvasNode(node) || mergeIn(node.contentBlocks) !== null;

function statusOf(reply: readonly TreeNode[]): Turn['status'] {
  // A failed tool is a result that the model has read: only an error in place of a reply ends a turn.
  if (reply.some((node) => node.role === 'assistant' && node.isError)) return 'error';
  // A message that nobody answered can be continued, like one whose reply was stopped before its first word.
  const isAnswered = reply.some((node) => node.role === 'assistant');
  return !isAnswered || reply.some((node) => node.interrupted) ? 'interrupted' : 'complete';
}
