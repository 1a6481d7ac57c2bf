import type { ProjectId, TreeNode, Turn, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Environment } from '../environment.ts';
import { TurnLog } from '../turn/log.ts';
import type { ReadLog } from '../turn/read-log.ts';
import { readWholeLog } from '../turn/read-log.ts';
import type { Decisions } from '../turn/tool-step.ts';
import { openCalls } from '../turn/tool-step.ts';
import type { TurnRunner } from '../turn/runner.ts';
import { RequestError } from './errors.ts';

export interface Approval {
  readonly turnId: TurnId;
  readonly toolCallId: string;
  readonly approve: boolean;
}

/** Takes a person's answer to a tool call. Durable at once; the turn goes on when every waiting call has its answer. */
export async function approve(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  approval: Approval,
): Promise<void> {
  const { turnId, toolCallId } = approval;
  const waiting = await env.store.getTurn(projectId, turnId);
  if (waiting.status !== 'awaiting_approval')
    throw new RequestError('not_awaiting_approval', 'This turn does not wait for an approval.');
  const turn = await env.store.claimTurn(projectId, turnId, env.owner, runner.leaseMs);
  const state = await readState(env, turn);
  const open = openCalls(state.reply, state.results);
  const call = open.find(({ id }) => id === toolCallId);
  if (call === undefined || state.decisions.has(toolCallId)) {
    await env.store.releaseTurn(projectId, turnId, env.owner, 'awaiting_approval');
    throw new UnknownIdError('waiting tool call', toolCallId);
  }
  const decisions = new Map(state.decisions).set(toolCallId, approval.approve ? 'approved' : 'denied');
  const log = new TurnLog(env.store, { projectId, turnId }, () => undefined, state.from);
  await log.write({
    lines: [{ type: 'approval', toolCallId, name: call.name, state: approval.approve ? 'approved' : 'denied' }],
  });
  await log.flush();
  await env.store.publish({ type: 'progress', projectId, turnId, seq: state.from.entrySeq + 1 });
  if (open.some(({ id }) => !decisions.has(id))) {
    await env.store.releaseTurn(projectId, turnId, env.owner, 'awaiting_approval');
    return;
  }
  const branch = await env.store.getBranch(projectId, turn.branchId ?? '');
  runner.run({
    turn,
    branch,
    toolChoice: 'auto',
    tip: state.tip.id,
    calls: state.calls,
    from: { entrySeq: state.from.entrySeq + 1, lineSeq: state.from.lineSeq + 1 },
    resume: { reply: state.reply, results: state.results, decisions },
  });
}

interface PausedTurn {
  readonly reply: TreeNode;
  readonly results: readonly TreeNode[];
  readonly tip: TreeNode;
  readonly decisions: Decisions;
  readonly from: ReadLog['end'];
  readonly calls: number;
}

/** Everything about a paused turn is in the store: any server can take it up again. */
async function readState(env: Environment, turn: Turn): Promise<PausedTurn> {
  const nodes = await env.store.nodesOfTurn(turn.projectId, turn.id);
  const at = nodes.findLastIndex((node) => node.role === 'assistant');
  const reply = nodes[at];
  const tip = nodes.at(-1);
  if (reply === undefined || tip === undefined)
    throw new RequestError('not_awaiting_approval', 'This turn has no reply whose tools could run.');
  const { records, end } = await readWholeLog(env, turn);
  const decisions = new Map<string, 'approved' | 'denied'>();
  for (const line of records.flatMap(({ lines }) => lines)) {
    if (line.type === 'approval' && line.state !== 'asked') decisions.set(line.toolCallId, line.state);
  }
  const calls = records.filter(({ call }) => call !== undefined).length;
  return { reply, results: nodes.slice(at + 1), tip, decisions, from: end, calls };
}
