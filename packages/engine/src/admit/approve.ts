import { setTimeout as sleep } from 'node:timers/promises';
import type { Branch, LineBody, ProjectId, TreeNode, Turn, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { ReplyLimits } from '../assemble/index.ts';
import type { Environment } from '../environment.ts';
import { TurnLog } from '../turn/log.ts';
import type { ReadLog } from '../turn/read-log.ts';
import { readWholeLog } from '../turn/read-log.ts';
import type { Decision, Decisions } from '../turn/tool-step.ts';
import { openCalls } from '../turn/tool-step.ts';
import type { TurnRunner } from '../turn/runner.ts';
import { RequestError } from './errors.ts';

const LOOKS = 10;
const LOOK_AGAIN_MS = 50;

export interface Approval {
  readonly turnId: TurnId;
  readonly toolCallId: string;
  readonly approve: boolean;
  /** Why not: the model reads it as the result of the call. */
  readonly reason?: string | undefined;
  /** Also allows every later call of the tool on this branch, and those of it that wait. */
  readonly always?: boolean | undefined;
}

/**
 * Takes a person's answer to a tool call. Durable at once; the turn continues when every waiting call has its answer.
 */
export async function approve(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  approval: Approval,
): Promise<void> {
  const { turnId } = approval;
  await requireWaiting(env, projectId, turnId);
  const turn = await env.store.claimTurn(projectId, turnId, env.owner, runner.leaseMs);
  let goesOn = false;
  try {
    goesOn = await decide(env, runner, turn, approval);
  } finally {
    // Even after a failure: a turn that is claimed but not run would be taken for one whose server died.
    if (!goesOn) await env.store.releaseTurn(projectId, turnId, env.owner, 'awaiting_approval');
  }
}

/** The question is shown a moment before the turn is released: somebody who answers at once waits for that moment. */
async function requireWaiting({ store }: Environment, projectId: ProjectId, turnId: TurnId): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    const { status } = await store.getTurn(projectId, turnId);
    if (status === 'awaiting_approval') return;
    if (status !== 'running' || looks === LOOKS)
      throw new RequestError('not_awaiting_approval', 'This turn does not wait for an approval.');
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Logs the decision, and runs the turn if it was the last one needed. Returns whether it runs. */
async function decide(env: Environment, runner: TurnRunner, turn: Turn, approval: Approval): Promise<boolean> {
  const { toolCallId, approve: isApproved, reason, always = false } = approval;
  const { projectId } = turn;
  const paused = await readPaused(env, turn);
  const open = openCalls(paused.reply, paused.results);
  const call = open.find(({ id }) => id === toolCallId);
  const state = isApproved ? 'approved' : 'denied';
  const before = paused.decisions.get(toolCallId);
  if (call === undefined || (before !== undefined && before.state !== state))
    throw new UnknownIdError('waiting tool call', toolCallId);
  const branch = await env.store.getBranch(projectId, turn.branchId ?? '');
  if (always && isApproved) await allow(env, branch, call.name);
  const decision: Decision = isApproved || reason === undefined ? { state } : { state, reason };
  const answered = open.filter(({ id, name }) => id === toolCallId || (always && isApproved && name === call.name));
  const decisions = new Map(paused.decisions);
  let { from } = paused;
  for (const { id, name } of answered) {
    // The same answer again: an earlier one was logged, but may have failed after that.
    if (decisions.has(id)) continue;
    decisions.set(id, decision);
    from = await logDecision(env, runner, turn, from, { type: 'approval', toolCallId: id, name, ...logged(decision) });
  }
  if (open.some(({ id }) => !decisions.has(id))) return false;
  const { reply, results, calls, tip, limits } = paused;
  const resume = { reply, results, decisions };
  runner.run({ turn, branch, toolChoice: 'auto', limits, tip: tip.id, calls, from, resume });
  return true;
}

/** Stored before the answer: if storing it fails, the question is still open. */
async function allow(env: Environment, { id, projectId, envelope }: Branch, tool: string): Promise<void> {
  const { allowedTools = [] } = envelope;
  if (allowedTools.includes(tool)) return;
  await env.store.updateBranch(projectId, id, { envelope: { ...envelope, allowedTools: [...allowedTools, tool] } });
  await env.store.publish({ type: 'changed', projectId });
}

function logged({ state, reason }: Decision): Pick<Extract<LineBody, { type: 'approval' }>, 'state' | 'reason'> {
  return reason === undefined ? { state } : { state, reason };
}

async function logDecision(
  env: Environment,
  runner: TurnRunner,
  { projectId, id: turnId }: Turn,
  { entrySeq, lineSeq }: ReadLog['end'],
  line: LineBody,
): Promise<ReadLog['end']> {
  const log = new TurnLog(env.store, { projectId, turnId }, () => undefined, { entrySeq, lineSeq });
  await log.write({ lines: [line] });
  await log.flush();
  await runner.tell({ type: 'progress', projectId, turnId, seq: entrySeq + 1 });
  return { entrySeq: entrySeq + 1, lineSeq: lineSeq + 1 };
}

interface PausedTurn {
  readonly reply: TreeNode;
  readonly results: readonly TreeNode[];
  readonly tip: TreeNode;
  readonly decisions: Decisions;
  readonly from: ReadLog['end'];
  readonly calls: number;
  readonly limits: ReplyLimits | undefined;
}

/** Everything about a paused turn is in the store: any server can resume it. */
async function readPaused(env: Environment, turn: Turn): Promise<PausedTurn> {
  const nodes = await env.store.nodesOfTurn(turn.projectId, turn.id);
  const at = nodes.findLastIndex((node) => node.role === 'assistant');
  const reply = nodes[at];
  const tip = nodes.at(-1);
  if (reply === undefined || tip === undefined)
    throw new RequestError('not_awaiting_approval', 'This turn has no reply whose tools could run.');
  const { records, end } = await readWholeLog(env, turn);
  const decisions = new Map<string, Decision>();
  for (const line of records.flatMap(({ lines }) => lines)) {
    if (line.type === 'approval' && line.state !== 'asked')
      decisions.set(line.toolCallId, { state: line.state, reason: line.reason });
  }
  const calls = records.flatMap(({ call }) => call ?? []);
  const limits = calls.at(-1)?.limits;
  return { reply, results: nodes.slice(at + 1), tip, decisions, from: end, calls: calls.length, limits };
}
