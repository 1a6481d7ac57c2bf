import type { TreeNode, Turn, TurnId } from '../entities/index.ts';
import type { Segment } from './segments.ts';
import { segmentTimeline } from './segments.ts';
import { timelineOf } from './timeline.ts';

/** A turn as people read it: the message, then the reply in segments. */
export interface MessageGroup {
  readonly turnId: TurnId | null;
  readonly isThinkingMode: boolean;
  /** Null for what comes before the first user message. */
  readonly user: TreeNode | null;
  readonly reply: readonly TreeNode[];
  readonly segments: readonly Segment[];
}

/**
 * Groups a path by its user messages. A regenerated reply belongs to the message above it but has a turn of its own:
 * the group takes the reply's turn.
 */
export function getMessageGroups(path: readonly TreeNode[], turns: readonly Turn[]): readonly MessageGroup[] {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const groups: { user: TreeNode | null; reply: TreeNode[] }[] = [];
  for (const node of path) {
    const current = groups.at(-1);
    if (node.role === 'user') groups.push({ user: node, reply: [] });
    else if (current === undefined) groups.push({ user: null, reply: [node] });
    else current.reply.push(node);
  }
  return groups.map(({ user, reply }) => {
    // Instructions that stand between a message and its reply came with the message.
    const withTurn = reply.filter((node) => node.turnId !== null);
    const replied = withTurn.find(({ role }) => role !== 'system') ?? withTurn[0];
    const turnId = replied?.turnId ?? user?.turnId ?? null;
    const turn = turnId === null ? undefined : byId.get(turnId);
    const isThinkingMode = turn?.isThinkingMode ?? inferThinkingMode(reply);
    return { turnId, isThinkingMode, user, reply, segments: segmentTimeline(timelineOf(reply), isThinkingMode) };
  });
}

/** Only for data from before turns were stored: a reply that contains thinking was made in thinking mode. */
export function inferThinkingMode(reply: readonly TreeNode[]): boolean {
  return timelineOf(reply).some((item) => item.type === 'think');
}
