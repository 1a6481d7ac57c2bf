import type { Rendering, StopReason, TreeNode } from '@bough/core';
import type { PreparedRequest } from '@bough/providers';
import { objectionIn } from '@bough/providers';
import type { PlannedRequest } from '../assemble/index.ts';
import { planRequest } from '../assemble/index.ts';
import { compactFirst } from '../compact/automatic.ts';
import type { Environment } from '../environment.ts';
import type { TurnEnd } from '../watch/hub.ts';
import { bringFiles } from './bring-files.ts';
import type { MadeCall } from './call.ts';
import { makeCall } from './call.ts';
import type { Outcome } from './end.ts';
import { closeAfterFailure, ended } from './end.ts';
import { createErrorNode } from './finish.ts';
import { commit, logStop, report } from './part.ts';
import { lostContainer, lostFile, refusesHistory } from './refusals.ts';
import type { RunningTurn } from './running.ts';
import type { Decisions } from './tool-step.ts';
import { openCalls, runToolStep } from './tool-step.ts';

type EndStatus = TurnEnd['status'];
type Next =
  | { readonly go: 'on' }
  | { readonly go: 'wait' }
  /** The end is stored already. */
  | { readonly go: 'ended'; readonly status: EndStatus; readonly stop: StopReason };

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
  const planned = await prepare(env, running);
  const { prepared, continued } = planned;
  if (running.mayCompact) {
    running.mayCompact = false;
    if (await compactFirst(env, running, prepared)) {
      running.calls -= 1;
      return { go: 'on' };
    }
  }
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
  const { renderings, withReply } = prepared.request;
  const cachedTurns = prepared.newCachedTurns();
  const made = await makeCall(env, running, planned);
  if (running.mayBringFiles && prepared.request.namesFiles === true && lostFile(made)) {
    await running.log.write({ lines: [{ type: 'notice', code: 'container_files_gone', message: FILES_GONE }] });
    return again(env, running, made, { mayBringFiles: false }, 'container_files_gone');
  }
  if (running.containers === 'usable' && prepared.request.namesContainer === true && lostContainer(made)) {
    const { ids, brought, missing } = await bringFiles(env, running, prepared);
    const message = containerGone(brought, missing);
    await running.log.write({ lines: [{ type: 'notice', code: 'container_expired', message, brought, missing }] });
    const containers = made.folded.error?.code === 'server' ? 'doubtful' : 'gone';
    return again(env, running, made, { containers, containerFiles: ids }, 'container_expired');
  }
  if (refusesHistory(made)) {
    if (continued) return again(env, running, made, { mayContinue: false }, 'previous_response_refused');
    const sharesReasoning = running.mayShareReasoning && prepared.context.breakNodeId !== null;
    if (sharesReasoning) return again(env, running, made, { mayShareReasoning: false }, 'shared_reasoning_refused');
  }
  await report(env, running, made, made.folded);
  const outcome = outcomeOf(made);
  // What arrived, what it cost and why it ended become durable together.
  if (outcome.go === 'ended') await logStop(running, outcome.stop);
  else await running.log.flush();
  // If it failed without the containers, too, they were not the reason, and may be asked for again.
  const isSettled = running.containers !== 'doubtful' || made.status !== 'error';
  await running.storing.pass(() =>
    commit(env, running, {
      nodes: made.nodes,
      calls: [{ call: made.call, raw: made.raw() }],
      renderings: isSettled ? [...renderings, ...ofReply(made, withReply)] : [],
      cachedTurns: isSettled ? cachedTurns : [],
      ...(outcome.go === 'ended' ? { status: outcome.status } : {}),
    }),
  );
  running.containers = 'usable';
  running.containerFiles = [];
  return outcome.go === 'tools' ? toolPhase(env, running, outcome.reply, [], new Map()) : outcome;
}

/** What the reply was made after is stored with it. */
function ofReply({ nodes: [reply] }: MadeCall, withReply: PreparedRequest['withReply']): readonly Rendering[] {
  return reply === undefined || withReply === undefined ? [] : [{ nodeId: reply.id, ...withReply }];
}

function containerGone(brought: readonly string[], missing: readonly string[]): string {
  const gone = 'The container in which the code of this conversation ran has expired. Code runs in a new one';
  if (brought.length + missing.length === 0) return `${gone}; files in it are gone.`;
  return [
    ...(brought.length > 0 ? [`${gone}, with these files: ${brought.join(', ')}.`] : [`${gone}.`]),
    ...(missing.length > 0 ? [`These files could not be brought: ${missing.join(', ')}.`] : []),
    'Whatever else was in the old one is gone.',
  ].join(' ');
}

const FILES_GONE =
  'The provider no longer has the files that it was given for the code of this conversation. Attach them again if needed.';

/** Then it is sent without that. The refused call is recorded; nobody is shown an error that was fixed. */
async function again(
  env: Environment,
  running: RunningTurn,
  made: MadeCall,
  without: Partial<
    Pick<RunningTurn, 'mayContinue' | 'mayShareReasoning' | 'containers' | 'containerFiles' | 'mayBringFiles'>
  >,
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

async function prepare(env: Environment, running: RunningTurn): Promise<PlannedRequest> {
  const { turn, branch, tip, toolChoice, limits, mayContinue, mayShareReasoning, mayBringFiles } = running;
  const { containers, containerFiles } = running;
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
    mayUseContainers: containers === 'usable',
    ...(containerFiles.length > 0 && { containerFiles }),
    mayBringFiles,
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
