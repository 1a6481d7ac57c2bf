import type { NodeId, StopReason, TreeNode } from '@bough/core';
import { objectionIn } from '@bough/providers';
import type { PlannedRequest } from '../assemble/index.ts';
import { planRequest } from '../assemble/index.ts';
import type { Environment } from '../environment.ts';
import type { TurnEnd } from '../watch/hub.ts';
import type { MadeCall } from './call.ts';
import { makeCall } from './call.ts';
import type { Outcome } from './end.ts';
import { closeAfterFailure, ended } from './end.ts';
import { createErrorNode } from './finish.ts';
import type { RunningTurn } from './running.ts';
import type { Decisions } from './tool-step.ts';
import { openCalls, runToolStep } from './tool-step.ts';

type EndStatus = TurnEnd['status'];
type Next =
  | { readonly go: 'on' }
  | { readonly go: 'wait' }
  /** The end is stored already. */
  | { readonly go: 'ended'; readonly status: EndStatus; readonly stop: StopReason };
type Commit = Parameters<Environment['store']['commitTurn']>[0];

/** Where a turn resumes after an approval: its newest reply, the existing results, the person's decisions. */
export interface Resumption {
  readonly reply: TreeNode;
  readonly results: readonly TreeNode[];
  readonly decisions: Decisions;
}

/**
 * Runs a turn to its end or to its next approval: assemble, preflight, call, fold, tools, again. Every finished part is
 * stored before the next begins. Never throws: a failure closes the turn with a readable reply or, where even that
 * cannot be stored, leaves it to recovery. Returns what watchers are told.
 */
export async function runTurn(env: Environment, running: RunningTurn, resume?: Resumption): Promise<Outcome> {
  try {
    let next: Next =
      resume === undefined
        ? { go: 'on' }
        : await toolPhase(env, running, resume.reply, resume.results, resume.decisions);
    while (next.go === 'on') next = await step(env, running);
    if (next.go === 'ended') return ended(env, running, next.status, running.nodeIds);
    await env.store.releaseTurn(running.turn.projectId, running.turn.id, env.owner, 'awaiting_approval');
    return { type: 'progress' };
  } catch (error) {
    return closeAfterFailure(env, running, error);
  }
}

async function step(env: Environment, running: RunningTurn): Promise<Next> {
  if (running.abort.signal.aborted) return end(env, running, 'interrupted', 'interrupted');
  if (running.calls >= env.limits.maxCallsPerTurn) {
    return fail(
      env,
      running,
      'too_many_calls',
      `The model called tools ${running.calls} times without an answer; the turn was stopped.`,
    );
  }
  running.calls += 1;
  const { prepared, continued } = await prepare(env, running);
  const broken = objectionIn(prepared.request.violations);
  if (broken !== undefined) {
    return fail(
      env,
      running,
      'preflight',
      `The request would be rejected (${broken.rule}: ${broken.message}) and was not sent. Branch from an earlier message.`,
    );
  }
  // Extracted before the call: the request itself may be large, and is not held while the reply arrives.
  const { renderings } = prepared.request;
  const cachedTurns = prepared.newCachedTurns();
  const made = await makeCall(env, running, prepared);
  if (refusesHistory(made)) {
    if (continued) return again(env, running, made, { mayContinue: false }, 'previous_response_refused');
    const sharesReasoning = running.mayShareReasoning && prepared.context.breakNodeId !== null;
    if (sharesReasoning) return again(env, running, made, { mayShareReasoning: false }, 'shared_reasoning_refused');
  }
  await report(env, running, made);
  const outcome = outcomeOf(made);
  // What arrived, what it cost and why it ended become durable together.
  if (outcome.go === 'ended') await logStop(running, outcome.stop);
  else await running.log.flush();
  await running.storing.pass(() =>
    commit(env, running, {
      nodes: made.nodes,
      calls: [{ call: made.call, raw: made.raw() }],
      renderings,
      cachedTurns,
      ...(outcome.go === 'ended' ? { status: outcome.status } : {}),
    }),
  );
  return outcome.go === 'tools' ? toolPhase(env, running, outcome.reply, [], new Map()) : outcome;
}

/** Usage and errors of a call, for watchers and for metrics. */
async function report(env: Environment, running: RunningTurn, made: MadeCall): Promise<void> {
  const { call, folded } = made;
  if (call.usage !== null) await running.log.write({ lines: [{ type: 'usage', usage: call.usage, cost: call.cost }] });
  if (folded.error !== null && made.status === 'error') {
    const { code, message, retryable } = folded.error;
    await running.log.write({ lines: [{ type: 'error', code, message, retryable }] });
  }
  env.observe({ type: 'call_ended', call });
}

/**
 * The provider no longer knows the response that the request continued from: it forgot it, or never stored it. Or a
 * server between us and the provider keeps its models apart, so that one cannot decrypt what another thought.
 */
function refusesHistory({ folded, status }: MadeCall): boolean {
  return status === 'error' && folded.error?.code === 'history_rejected' && folded.blocks.length === 0;
}

/** Then it is sent without that. The refused call is recorded; nobody is shown an error that was fixed. */
async function again(
  env: Environment,
  running: RunningTurn,
  made: MadeCall,
  without: Partial<Pick<RunningTurn, 'mayContinue' | 'mayShareReasoning'>>,
  errorCode: string,
): Promise<Next> {
  Object.assign(running, without);
  running.calls -= 1;
  const call = { ...made.call, nodeId: null, errorCode };
  await commit(env, running, { nodes: [], calls: [{ call, raw: null }] });
  env.observe({ type: 'call_ended', call });
  return { go: 'on' };
}

/** What follows a call: the end of the turn, tools, or another call. */
function outcomeOf(made: MadeCall): Exclude<Next, { go: 'wait' }> | { readonly go: 'tools'; readonly reply: TreeNode } {
  const { status } = made;
  const stop = made.folded.stop ?? 'unknown';
  if (status !== 'complete') return { go: 'ended', status, stop: status === 'error' ? 'error' : 'interrupted' };
  const [reply] = made.nodes;
  const wantsTools =
    reply !== undefined && openCalls(reply, []).length > 0 && stop !== 'max_tokens' && stop !== 'refusal';
  if (wantsTools) return { go: 'tools', reply };
  // The provider paused its own work and wants to be called again with the same content.
  return stop === 'pause' ? { go: 'on' } : { go: 'ended', status: 'complete', stop };
}

async function prepare(
  env: Environment,
  { turn, branch, tip, toolChoice, limits, mayContinue, mayShareReasoning }: RunningTurn,
): Promise<PlannedRequest> {
  const planned = await planRequest(env, {
    projectId: turn.projectId,
    tip,
    branches: await env.store.listBranches(turn.projectId),
    envelope: branch.envelope,
    manner: branch,
    toolChoice,
    limits,
    mayContinue,
    mayShareReasoning,
  });
  const { request, context } = planned.prepared;
  for (const { rule, repaired } of request.violations) env.observe({ type: 'violation', rule, repaired });
  for (const line of context.report) {
    if (line.fidelity === 'dropped')
      for (const reason of line.reasons) env.observe({ type: 'dropped', reason, count: 1 });
  }
  return planned;
}

async function toolPhase(
  env: Environment,
  running: RunningTurn,
  reply: TreeNode,
  results: readonly TreeNode[],
  decisions: Decisions,
): Promise<Next> {
  const { nodes, waiting } = await runToolStep(env, running, openCalls(reply, results), decisions);
  await running.log.flush();
  if (nodes.length > 0) await commit(env, running, { nodes });
  if (running.abort.signal.aborted) return end(env, running, 'interrupted', 'interrupted');
  if (waiting.length === 0) return { go: 'on' };
  for (const call of waiting)
    await running.log.write({ lines: [{ type: 'approval', toolCallId: call.id, name: call.name, state: 'asked' }] });
  await running.log.flush();
  return { go: 'wait' };
}

async function commit(
  env: Environment,
  running: RunningTurn,
  part: {
    readonly nodes: readonly TreeNode[];
    readonly calls?: Commit['calls'];
    readonly renderings?: Commit['renderings'];
    readonly cachedTurns?: Commit['cachedTurns'];
    readonly status?: EndStatus;
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
    tip: { branchId: running.branch.id, expected: running.tip, next },
    ...(part.status === undefined ? {} : { status: part.status }),
  });
  running.tip = next;
  running.nodeIds?.push(...part.nodes.map(({ id }) => id));
}

async function fail(env: Environment, running: RunningTurn, code: string, message: string): Promise<Next> {
  const { turn, branch } = running;
  const node = createErrorNode(env, {
    turn,
    branchId: branch.id,
    parentId: running.tip,
    message,
    issuer: branch.envelope,
    createdAt: env.now().toISOString(),
  });
  await running.log.write({ lines: [{ type: 'error', code, message, retryable: false }] });
  await logStop(running, 'error');
  await commit(env, running, { nodes: [node], status: 'error' });
  return { go: 'ended', status: 'error', stop: 'error' };
}

async function end(env: Environment, running: RunningTurn, status: EndStatus, stop: StopReason): Promise<Next> {
  await logStop(running, stop);
  await commit(env, running, { nodes: [], status });
  return { go: 'ended', status, stop };
}

async function logStop(running: RunningTurn, stop: StopReason): Promise<void> {
  await running.log.write({ lines: [], stop });
  await running.log.flush();
}
