import type { NodeId, TreeNode, Turn } from '@bough/core';
import { createNode, isToolUseBlock } from '@bough/core';
import type { CanvasDesk } from '../canvas/desk.ts';
import { createDesk } from '../canvas/desk.ts';
import type { Environment } from '../environment.ts';
import { keeperOf } from './made-files.ts';
import type { ToolCall, ToolOutcome } from '../tools/tool.ts';
import type { RunningTurn } from './running.ts';

/** A person's answer to a call that needs approval. */
export interface Decision {
  readonly state: 'approved' | 'denied';
  /** Why it was declined: the model reads it. */
  readonly reason?: string | undefined;
}

/** The answers by call id. */
export type Decisions = ReadonlyMap<string, Decision>;

export interface ToolStep {
  /** The results, as a chain of nodes, in the order of the calls. */
  readonly nodes: readonly TreeNode[];
  /** Calls that wait for a person. */
  readonly waiting: readonly ToolCall[];
}

/** The calls of a reply that have no result after it yet. The same id twice in one reply is one call. */
export function openCalls(reply: TreeNode, results: readonly TreeNode[]): readonly ToolCall[] {
  const answered = new Set(results.map((node) => node.toolCallId));
  const calls = new Map<string, ToolCall>();
  for (const { id, name, parameters } of reply.contentBlocks.filter(isToolUseBlock)) {
    if (!answered.has(id) && !calls.has(id)) calls.set(id, { id, name, parameters });
  }
  return [...calls.values()];
}

/** Runs the permitted calls, all at once. Each result is shown as it arrives; an error is a result too. */
export async function runToolStep(
  env: Environment,
  running: RunningTurn,
  calls: readonly ToolCall[],
  decisions: Decisions,
): Promise<ToolStep> {
  const waiting: ToolCall[] = [];
  const work: Promise<ToolOutcome>[] = [];
  const desk = createDesk(env, running);
  const policies = calls.map((call) => env.tools.approvalOf(call.name));
  const allowed = policies.includes('ask') ? await allowedTools(env, running.turn) : new Set<string>();
  for (const [index, call] of calls.entries()) {
    const policy = policies[index];
    const decision = decisions.get(call.id);
    // A client's tools are known to the model, and nobody here can run them: there is nothing to ask a person about.
    if (!running.branch.envelope.tools.includes(call.name)) work.push(refuse(running, call, notHere(call)));
    else if (policy === 'never') work.push(refuse(running, call, `The tool "${call.name}" is not allowed here.`));
    else if (decision?.state === 'denied') work.push(refuse(running, call, declined(decision)));
    else if (policy === 'ask' && decision === undefined && !allowed.has(call.name)) waiting.push(call);
    else work.push(runOne(env, running, call, desk));
  }
  // Waits for all of them, even when one fails: nothing in a turn may continue past its end.
  const settled = await Promise.allSettled(work);
  const outcomes = settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
  return { nodes: resultNodes(env, running.turn, running.tip, outcomes), waiting };
}

async function runOne(
  env: Environment,
  running: RunningTurn,
  call: ToolCall,
  canvas: CanvasDesk,
): Promise<ToolOutcome> {
  const outcome = await env.tools.run(call, {
    projectId: running.turn.projectId,
    store: env.store,
    now: env.now,
    keepFile: keeperOf(env),
    canvas,
    signal: running.abort.signal,
  });
  return show(running, outcome);
}

/**
 * What a person allowed on the turn's branch without being asked, as it is now: it may have been allowed, or withdrawn,
 * since the turn began.
 */
async function allowedTools(env: Environment, { projectId, branchId }: Turn): Promise<ReadonlySet<string>> {
  const branches = await env.store.listBranches(projectId);
  return new Set(branches.find(({ id }) => id === branchId)?.envelope.allowedTools);
}

const notHere = ({ name }: ToolCall): string => `There is no tool "${name}" on this branch.`;

function declined({ reason = '' }: Decision): string {
  return reason === '' ? 'The user declined this tool call.' : `The user declined this tool call: ${reason}`;
}

async function refuse(running: RunningTurn, call: ToolCall, content: string): Promise<ToolOutcome> {
  return show(running, { callId: call.id, content, isError: true, durationMs: 0 });
}

async function show(running: RunningTurn, outcome: ToolOutcome): Promise<ToolOutcome> {
  const { callId, ...shown } = outcome;
  await running.log.write({ lines: [{ type: 'tool_result', toolCallId: callId, ...shown }] });
  return outcome;
}

/** Results as nodes, each below the previous one. */
export function resultNodes(
  env: Environment,
  turn: Turn,
  above: NodeId,
  outcomes: readonly ToolOutcome[],
): readonly TreeNode[] {
  let parentId = above;
  return outcomes.map(({ callId, content, files = [], canvas, isError, durationMs }) => {
    const text = content === '' && files.length > 0 ? [] : [{ type: 'text', text: content }];
    const node = createNode({
      id: env.ids.node(),
      projectId: turn.projectId,
      parentId,
      role: 'tool',
      contentBlocks: [...text, ...files, ...(canvas === undefined ? [] : [canvas])],
      toolCallId: callId,
      toolMs: durationMs,
      turnId: turn.id,
      createdOnBranch: turn.branchId,
      isError,
      createdAt: env.now().toISOString(),
    });
    parentId = node.id;
    return node;
  });
}
