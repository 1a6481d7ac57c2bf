import type { BranchView, GraphView, HistoryView, MessageGroupView, NodeView } from '@bough/api/client';
import { mergeOf } from './merge.ts';

/** The node that a group begins with: groups are recognized by it. */
export function groupKey(group: MessageGroupView): string | null {
  return group.user?.id ?? group.reply[0]?.id ?? null;
}

export function nodesOf({ user, reply }: MessageGroupView): MessageGroupView['reply'] {
  return user === null ? reply : [user, ...reply];
}

/**
 * The newest page with the newest turns, which were read again, in place of what it had of them. Null if they do not
 * follow what the page has: then something else changed as well, and the page must be read again.
 */
export function withNewest(page: HistoryView, fresh: HistoryView): HistoryView | null {
  const [first] = fresh.groups;
  if (page.hasNewer || fresh.hasNewer) return null;
  if (first === undefined) return page.groups.length === 0 ? { ...page, branch: fresh.branch } : null;
  const key = groupKey(first);
  const known = page.groups.findIndex((group) => groupKey(group) === key);
  const kept = known < 0 ? page.groups : page.groups.slice(0, known);
  if (kept.length === 0 && fresh.groups.length >= page.groups.length)
    return known < 0 && page.groups.length > 0 ? null : fresh;
  const before = kept.at(-1);
  const last = before === undefined ? undefined : nodesOf(before).at(-1)?.id;
  if (last === undefined || nodesOf(first)[0]?.parentId !== last) return null;
  return {
    ...page,
    branch: fresh.branch,
    groups: [...kept, ...fresh.groups],
    lastNodeId: fresh.lastNodeId,
    breakNodeId: fresh.breakNodeId ?? page.breakNodeId,
  };
}

/** The graph with what is new in it. */
export function withNewNodes(before: GraphView, fresh: GraphView): GraphView {
  if (fresh.skipped === 0) return fresh;
  const nodes = fresh.nodes.length === 0 ? before.nodes : [...before.nodes, ...fresh.nodes];
  return { ...fresh, skipped: 0, nodes };
}

/**
 * The graph, or an outline of it, after a branch grew by the newest turns. Null if they do not follow where it ended in
 * the graph: then something else changed as well, and the graph must be read again.
 */
export function withGrowth(graph: GraphView, { branch, groups }: HistoryView): GraphView | null {
  const before = graph.branches.find(({ id }) => id === branch.id);
  if (before === undefined) return null;
  const path = groups.flatMap(nodesOf);
  // The first message of a branch follows nothing, or what the branch was forked from.
  const start = path.findIndex(({ parentId }) => parentId === before.tipId);
  const added = branch.tipId === before.tipId ? [] : start < 0 ? null : path.slice(start);
  if (added === null) return null;
  const known = new Set(graph.nodes.map(({ id }) => id));
  const follows = ({ id, parentId }: NodeView, index: number): boolean =>
    !known.has(id) && (index === 0 ? parentId === null || known.has(parentId) : parentId === added[index - 1]?.id);
  const last = added.at(-1);
  if (!added.every(follows) || (last?.id ?? before.tipId) !== branch.tipId) return null;
  return {
    ...graph,
    total: graph.total + added.length,
    lastId: last?.id ?? graph.lastId,
    nodes: last === undefined ? graph.nodes : [...graph.nodes, ...added.map((node) => graphNode(node, branch.id))],
    branches: graph.branches.map((each) => (each.id === branch.id ? branch : each)),
  };
}

function graphNode(node: NodeView, branchId: string): GraphView['nodes'][number] {
  const { id, parentId, turnId, role, isError, interrupted, modelUsed, createdAt } = node;
  const merge = role === 'user' ? mergeOf(node) : null;
  const plain = { id, parentId, turnId, role, branchId, isError, interrupted, modelUsed, createdAt };
  return merge === null ? plain : { ...plain, mergedUpTo: merge.upTo };
}

/** The branches of which nothing changed but where they end and whether a turn runs; null if anything else did. */
export function movedBranches(
  before: readonly BranchView[],
  after: readonly BranchView[],
): readonly { readonly before: BranchView; readonly after: BranchView }[] | null {
  if (before.length !== after.length) return null;
  const pairs = after.map((branch, index) => ({ before: before[index], after: branch }));
  const moved: { readonly before: BranchView; readonly after: BranchView }[] = [];
  for (const pair of pairs) {
    if (pair.before === undefined || !isSameElsewhere(pair.before, pair.after)) return null;
    const { tipId, runningTurnId } = pair.before;
    if (tipId !== pair.after.tipId || runningTurnId !== pair.after.runningTurnId)
      moved.push({ before: pair.before, after: pair.after });
  }
  return moved;
}

function isSameElsewhere(before: BranchView, after: BranchView): boolean {
  const still = { tipId: null, runningTurnId: null };
  return JSON.stringify({ ...before, ...still }) === JSON.stringify({ ...after, ...still });
}
