import type { ProjectId, TreeNode, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Environment } from '../environment.ts';
import { TurnLog } from '../turn/log.ts';
import { readRecord } from '../turn/record.ts';
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
  const turn = await env.store.claimTurn(projectId, turnId, env.owner, env.limits.leaseMs);
  const state = await readState(env, projectId, turnId);
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
  readonly from: { readonly entrySeq: number; readonly lineSeq: number };
  readonly calls: number;
}

/** Everything about a paused turn is in the store: any server can take it up again. */
async function readState(env: Environment, projectId: ProjectId, turnId: TurnId): Promise<PausedTurn> {
  const nodes = await env.store.nodesOfTurn(projectId, turnId);
  const at = nodes.findLastIndex((node) => node.role === 'assistant');
  const reply = nodes[at];
  const tip = nodes.at(-1);
  if (reply === undefined || tip === undefined)
    throw new RequestError('not_awaiting_approval', 'This turn has no reply whose tools could run.');
  const decisions = new Map<string, 'approved' | 'denied'>();
  let from = { entrySeq: 0, lineSeq: 0 };
  let calls = 0;
  for (
    let page = await env.store.readLog(projectId, turnId, 0, 1000);
    page.length > 0;
    page = await env.store.readLog(projectId, turnId, from.entrySeq, 1000)
  ) {
    for (const entry of page) {
      const record = readRecord(entry);
      if (record.call !== undefined) calls += 1;
      for (const line of record.lines) {
        if (line.type === 'approval' && line.state !== 'asked') decisions.set(line.toolCallId, line.state);
        from = { ...from, lineSeq: line.seq };
      }
      from = { ...from, entrySeq: entry.seq };
    }
  }
  return { reply, results: nodes.slice(at + 1), tip, decisions, from, calls };
}
