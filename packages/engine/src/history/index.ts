import type { Branch, Call, MessageGroup, NodeId, ProjectId, Turn, TurnStatus } from '@bough/core';
import { buildCanonicalMask, getMessageGroups } from '@bough/core';
import { nodesOfSummary } from '../assemble/summarised.ts';
import type { Environment } from '../environment.ts';
import { given } from '../given.ts';
import { branchQuestions } from '../questions/list.ts';

export interface HistoryGroup extends MessageGroup {
  readonly status: TurnStatus;
  readonly calls: readonly Call[];
}

export interface History {
  readonly branch: Branch;
  readonly groups: readonly HistoryGroup[];
  readonly siblings: Readonly<Record<NodeId, readonly NodeId[]>>;
  readonly hasMore: boolean;
  readonly hasNewer: boolean;
  readonly lastNodeId: NodeId | null;
  readonly firstNodeId: NodeId | null;
  readonly breakNodeId: NodeId | null;
}

export interface HistoryRequest {
  readonly ref: string;
  readonly before?: NodeId | undefined;
  /** Null: the oldest turns. */
  readonly after?: NodeId | null | undefined;
  readonly around?: NodeId | undefined;
  readonly limit: number;
}

const EMPTY = { groups: [], siblings: {}, hasMore: false, hasNewer: false };

/** The newest turns of a branch, or those before, after or around a node, as people read them. */
export async function readHistory(env: Environment, projectId: ProjectId, query: HistoryRequest): Promise<History> {
  const branch = await env.store.getBranch(projectId, query.ref);
  if (branch.tipId === null) return { branch, ...EMPTY, firstNodeId: null, lastNodeId: null, breakNodeId: null };
  const page = await env.store.history(projectId, {
    tip: branch.tipId,
    limit: query.limit,
    ...given({ before: query.before, after: query.after, around: query.around }),
  });
  const turns = new Map<string, Turn>(page.turns.map((turn) => [turn.id, turn]));
  const { breakIndex } = buildCanonicalMask(page.nodes, branch.envelope);
  const groups = getMessageGroups(page.nodes, page.turns).map((group): HistoryGroup => {
    const ids = new Set([group.turnId, group.user?.turnId ?? null]);
    const replyIds = new Set(group.reply.map((node) => node.id));
    return {
      ...group,
      status: (group.turnId === null ? undefined : turns.get(group.turnId)?.status) ?? 'complete',
      calls: page.calls.filter((call) => ids.has(call.turnId) && (call.nodeId === null || replyIds.has(call.nodeId))),
    };
  });
  return {
    branch,
    groups,
    siblings: await withoutQuestions(env, projectId, page.siblings),
    hasMore: page.hasMore,
    hasNewer: page.hasNewer,
    firstNodeId: page.nodes[0]?.id ?? null,
    lastNodeId: page.nodes.at(-1)?.id ?? null,
    breakNodeId: breakIndex < 0 ? null : (page.nodes[breakIndex]?.id ?? null),
  };
}

/**
 * What was asked for summaries, and about words: they stand beside messages in the tree, but are no other versions of
 * them.
 */
async function questionsOf(env: Environment, projectId: ProjectId): Promise<ReadonlySet<NodeId>> {
  const branches = await env.store.listBranches(projectId);
  const ids = [...new Set(branches.flatMap(({ envelope }) => envelope.summaries ?? []))];
  const found = await Promise.all(ids.map((id) => nodesOfSummary(env, projectId, id)));
  const asked = await branchQuestions(env.store, projectId);
  return new Set([
    ...found.flatMap(([first]) => (first === undefined ? [] : [first.id])),
    ...[...asked.values()].map(({ messageId }) => messageId),
  ]);
}

async function withoutQuestions(
  env: Environment,
  projectId: ProjectId,
  siblings: History['siblings'],
): Promise<History['siblings']> {
  if (Object.keys(siblings).length === 0) return siblings;
  const questions = await questionsOf(env, projectId);
  if (questions.size === 0) return siblings;
  const entries = Object.entries(siblings).map(
    ([id, others]) => [id, others.filter((other) => !questions.has(other))] as const,
  );
  return Object.fromEntries(entries.filter(([, others]) => others.length > 1));
}
