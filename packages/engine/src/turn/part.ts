import type { FoldedReply, LineBody, NodeId, StopReason, TreeNode } from '@bough/core';
import type { TurnCommit } from '@bough/store';
import type { Environment } from '../environment.ts';
import type { TurnEnd } from '../watch/hub.ts';
import type { FinishedCall } from './finish.ts';
import type { RunningTurn } from './running.ts';

/** Usage and errors of a call, for watchers. */
export function endLines({ call, status }: FinishedCall, { error }: FoldedReply): readonly LineBody[] {
  const { usage, cost } = call;
  const lines: LineBody[] = usage === null ? [] : [{ type: 'usage', usage, cost }];
  if (error === null || status !== 'error') return lines;
  const { code, message, retryable } = error;
  return [...lines, { type: 'error', code, message, retryable }];
}

/** The same, and for metrics. */
export async function report(
  env: Environment,
  running: RunningTurn,
  made: FinishedCall,
  folded: FoldedReply,
): Promise<void> {
  const lines = endLines(made, folded);
  if (lines.length > 0) await running.log.write({ lines });
  env.observe({ type: 'call_ended', call: made.call });
}

/** Stores a finished part of a turn, and ends the turn if a status is given. */
export async function commit(
  env: Environment,
  running: RunningTurn,
  part: {
    readonly nodes: readonly TreeNode[];
    readonly calls?: TurnCommit['calls'];
    readonly renderings?: TurnCommit['renderings'];
    readonly cachedTurns?: TurnCommit['cachedTurns'];
    readonly log?: TurnCommit['log'];
    readonly status?: TurnEnd['status'];
  },
): Promise<void> {
  const next: NodeId = part.nodes.at(-1)?.id ?? running.tip;
  await env.store.commitTurn({
    projectId: running.turn.projectId,
    turnId: running.turn.id,
    owner: env.owner,
    nodes: part.nodes,
    calls: part.calls ?? [],
    renderings: part.renderings ?? [],
    cachedTurns: part.cachedTurns ?? [],
    log: part.log ?? [],
    tip: { branchId: running.branch.id, expected: running.tip, next },
    ...(part.status === undefined ? {} : { status: part.status }),
  });
  running.tip = next;
  running.nodeIds?.push(...part.nodes.map(({ id }) => id));
}

/** Why the turn ends, durable before its end is stored. */
export async function logStop(running: RunningTurn, stop: StopReason): Promise<void> {
  await running.log.write({ lines: [], stop });
  await running.log.flush();
}
