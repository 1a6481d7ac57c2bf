import type { Branch, Call, NodeId, RawResponse, StopReason, StreamLine, TreeNode, Turn } from '@bough/core';
import { rawPayload, ReplyFold } from '@bough/core';
import { protocolById, readKept } from '@bough/providers';
import type { TurnCommit } from '@bough/store';
import type { Environment } from '../environment.ts';
import type { TurnEnd } from '../watch/hub.ts';
import type { FinishedCall } from './finish.ts';
import { createErrorNode, finishCall } from './finish.ts';
import { MadeFiles } from './made-files.ts';
import type { CallStart, LogRecord } from './record.ts';
import { openCalls, resultNodes } from './tool-step.ts';

type ErrorLine = Extract<StreamLine, { type: 'error' }>;
type ResultLine = Extract<StreamLine, { type: 'tool_result' }>;

/** A turn that has to be closed: what its log shows, and which part of that is stored. */
export interface OpenTurn {
  readonly turn: Turn;
  readonly branch: Branch | null;
  readonly records: readonly LogRecord[];
  readonly nodes: readonly TreeNode[];
  readonly calls: readonly Call[];
}

export interface Rebuilt extends Pick<TurnCommit, 'nodes' | 'calls'> {
  /** The parent of the first of them; null where the turn has none. */
  readonly parentId: NodeId | null;
  readonly status: TurnEnd['status'];
}

/**
 * What the log shows but the store does not hold: the reply of the call that was under way, the results after the
 * newest reply in the order of its calls, the errors. Every finished part is stored before the next begins, so all of
 * it belongs to the newest call.
 */
export async function rebuild(env: Environment, open: OpenTurn): Promise<Rebuilt> {
  const { turn, branch, records } = open;
  const newest = records.findLastIndex((record) => record.call !== undefined);
  const tail = records.slice(Math.max(newest, 0));
  const start = tail[0]?.call ?? null;
  const lines = tail.flatMap((record) => record.lines);
  const stop = records.findLast((record) => record.stop !== undefined)?.stop;
  const made =
    start === null || open.calls.some(({ id }) => id === start.callId)
      ? null
      : await foldCall(env, turn, start, tail, stop);

  const nodes: TreeNode[] = [...(made?.nodes ?? [])];
  const parentId =
    made === null ? (open.nodes.at(-1)?.id ?? start?.parentId ?? branch?.tipId ?? null) : start?.parentId;
  const tip = (): NodeId | null => nodes.at(-1)?.id ?? parentId ?? null;
  nodes.push(...lostResults(env, open, start, nodes, lines, tip()));
  const errors = lines.filter((line): line is ErrorLine => line.type === 'error');
  for (const { message } of errors) {
    const below = tip();
    const issuer = start?.issuer ?? branch?.envelope;
    if (below === null || issuer === undefined) continue;
    const about = {
      turn,
      branchId: turn.branchId,
      parentId: below,
      message,
      issuer,
      createdAt: env.now().toISOString(),
    };
    nodes.push(createErrorNode(env, about));
  }
  return {
    nodes,
    calls: made === null ? [] : [{ call: withError(made.call, errors[0], nodes), raw: made.raw() }],
    parentId: parentId ?? null,
    status: statusOf(stop, errors),
  };
}

/** What arrived of a call's stream, folded as the live call folds it. */
async function foldCall(
  env: Environment,
  turn: Turn,
  start: CallStart,
  tail: readonly LogRecord[],
  stop: StopReason | undefined,
): Promise<FinishedCall> {
  const texts = tail.flatMap(({ text = '' }) => (text === '' ? [] : [text]));
  const protocol = protocolById(start.api);
  const reply = new ReplyFold();
  const { body, whole, torn } = readKept(texts);
  if (body === null) {
    const fold = protocol.createFold(start.issuer);
    for (const event of whole) for (const neutral of fold.push(event)) reply.push(neutral);
    for (const neutral of fold.end({ type: endedByItself(tail, stop) ? 'closed' : 'aborted' })) reply.push(neutral);
  } else {
    for (const neutral of protocol.foldBody(body, start.issuer)) reply.push(neutral);
  }
  const arrived = reply.result();
  const folded = { ...arrived, blocks: await new MadeFiles(env).of(arrived.blocks) };
  // An error is reported by its line, which holds no secret; one that nobody was shown merely broke off the reply.
  const broken = folded.error !== null || folded.stop === 'error';
  const result = broken ? { ...folded, stop: 'interrupted' as const, error: null } : folded;
  const raw: RawResponse = {
    ...start.issuer,
    api: start.api,
    version: 1,
    capturedAt: start.startedAt,
    complete: !broken && folded.stop !== null && folded.stop !== 'interrupted',
    payload: rawPayload(start.api, [...whole, ...torn], body),
  };
  return finishCall(env, {
    turn,
    branchId: turn.branchId,
    start,
    folded: result,
    raw: () => raw,
    firstByteAt: texts.length === 0 ? null : start.startedAt,
    reasoningMs: shownReasoningMs(tail),
    isStopped: false,
    providerRequestId: null,
  });
}

/** The log has no times; how long the model thought is part of what was shown of its usage. */
function shownReasoningMs(tail: readonly LogRecord[]): number | null {
  const shown = tail.flatMap(({ lines }) => lines).findLast((line) => line.type === 'usage');
  return shown?.type === 'usage' ? (shown.usage.reasoningMs ?? null) : null;
}

/** Usage is reported once a stream has ended, and so is the reason why the turn ends. */
function endedByItself(tail: readonly LogRecord[], stop: StopReason | undefined): boolean {
  if (tail.some(({ lines }) => lines.some(({ type }) => type === 'usage'))) return true;
  return stop !== undefined && stop !== 'interrupted' && stop !== 'error';
}

/** The results of the newest reply that were shown but not stored. Calls without one stay open. */
function lostResults(
  env: Environment,
  { turn, nodes: stored }: OpenTurn,
  start: CallStart | null,
  rebuilt: readonly TreeNode[],
  lines: readonly StreamLine[],
  parentId: NodeId | null,
): readonly TreeNode[] {
  const nodes = [...stored, ...rebuilt];
  const at = nodes.findIndex((node) => node.id === start?.nodeId);
  const reply = nodes[at];
  if (reply === undefined || parentId === null) return [];
  const results = new Map(
    lines.filter((line): line is ResultLine => line.type === 'tool_result').map((line) => [line.toolCallId, line]),
  );
  const outcomes = openCalls(reply, nodes.slice(at + 1)).flatMap(({ id }) => {
    const shown = results.get(id);
    return shown === undefined ? [] : [{ ...shown, callId: id }];
  });
  return resultNodes(env, turn, parentId, outcomes);
}

function withError(call: Call, error: ErrorLine | undefined, nodes: readonly TreeNode[]): Call {
  if (error === undefined) return call;
  return { ...call, status: 'error', errorCode: error.code, nodeId: call.nodeId ?? nodes.at(-1)?.id ?? null };
}

function statusOf(stop: StopReason | undefined, errors: readonly ErrorLine[]): TurnEnd['status'] {
  if (stop === 'error' || errors.length > 0) return 'error';
  return stop === undefined || stop === 'interrupted' ? 'interrupted' : 'complete';
}
