import { createHash } from 'node:crypto';
import type { Call, FoldedReply, NodeId, RawResponse, TreeNode, Turn } from '@bough/core';
import { createNode, isTextBlock, isToolUseBlock, ReplyFold } from '@bough/core';
import type { PreparedCall } from '@bough/providers';
import { objectionIn, summaryTextIn } from '@bough/providers';
import { RequestError } from '../admit/errors.ts';
import { thinks } from '../admit/thinks.ts';
import type { Environment } from '../environment.ts';
import { finishCall } from '../turn/finish.ts';
import type { Range } from './range.ts';
import type { Way } from './request.ts';
import { askFor, questionOf, requireRead, waysFor } from './request.ts';

/** A summary that takes longer is not worth waiting for. */
const PATIENCE_MS = 300_000;
/** Longer than the call can take: nobody else closes the turn while it is made. */
const LEASE_MS = 2 * PATIENCE_MS;

export interface Written {
  /** The reply that is the summary. */
  readonly id: NodeId;
  readonly turn: Turn;
  readonly call: Call;
}

/**
 * Has a summary made and stores it below what it stands for, with its question, its call and its raw response. It is a
 * turn beside the conversation: no branch leads to it. Throws `summary_failed` where nothing usable came; then only the
 * calls are recorded, because they were paid for.
 */
export async function writeSummary(
  env: Environment,
  range: Range,
  instruction: string | undefined,
  given: {
    readonly signal: AbortSignal;
    readonly clientRequestId?: string | undefined;
    /** Absent: whoever can make it, the best first. */
    readonly ways?: readonly Way[];
  },
): Promise<Written | Turn> {
  const { branch } = range;
  const question = questionOf(env, range, instruction);
  const ways = [...(given.ways ?? waysFor(env, range))];
  const prepared = await prepareFirst(env, range, question, ways);
  const { clientRequestId } = given;
  const { turn, repeated } = await env.store.beginTurn({
    turn: {
      id: env.ids.turn(),
      projectId: branch.projectId,
      branchId: null,
      isThinkingMode: thinks(env, branch.envelope),
      status: 'running',
      createdAt: question.createdAt,
    },
    owner: env.owner,
    leaseMs: LEASE_MS,
    ...(clientRequestId === undefined ? {} : { clientRequestId }),
    nodes: [],
  });
  if (repeated) return turn;
  let made = await send(env, range, turn, { question, prepared }, given.signal);
  // A provider may refuse for one model what it does for another: its model can still be asked.
  if (made.reply === null && ways.length > 0 && !given.signal.aborted) {
    const { calls: before } = made;
    const asking = await prepareFirst(env, range, question, ways);
    made = await send(env, range, turn, { question, prepared: asking }, given.signal);
    made = { ...made, calls: [...before, ...made.calls] };
  }
  const { reply, calls, renderings, problem } = made;
  await env.store.commitTurn({
    projectId: branch.projectId,
    turnId: turn.id,
    owner: env.owner,
    nodes: reply === null ? [] : [{ ...question, turnId: turn.id }, reply],
    calls,
    renderings: reply === null ? [] : renderings,
    status: reply === null ? 'error' : 'complete',
  });
  for (const { call } of calls) env.observe({ type: 'call_ended', call });
  const call = calls.at(-1)?.call;
  if (reply === null || call === undefined) throw failed(problem ?? 'Nothing came');
  return { id: reply.id, turn, call };
}

/** The request in the first of the ways that no rule objects to; those that were tried are taken off the list. */
async function prepareFirst(env: Environment, range: Range, question: TreeNode, ways: Way[]): Promise<PreparedCall> {
  const prepared = await askFor(env, range, question, ways.shift() ?? 'model');
  requireRead(prepared);
  const broken = objectionIn(prepared.request.violations);
  if (broken === undefined) return prepared;
  if (ways.length > 0) return prepareFirst(env, range, question, ways);
  throw failed(`The request for it would be rejected (${broken.rule}: ${broken.message})`);
}

/** Why what came is no summary; null if it is one. */
function problemOf({ error, stop, blocks }: FoldedReply): string | null {
  if (error !== null) return `The provider answered: ${error.message}`;
  if (stop === 'refusal') return 'The model refused';
  if (stop === 'max_tokens' || stop === 'context_exceeded') return 'The answer was cut off';
  if (blocks.some(isToolUseBlock)) return 'The model called a tool instead of answering';
  if (stop !== 'end_turn') return 'The answer broke off';
  if (summaryTextIn(blocks) !== null) return null;
  const isEmpty = blocks.every((block) => !isTextBlock(block) || block.text.trim() === '');
  return isEmpty ? 'The answer has no text' : null;
}

function failed(why: string): RequestError {
  return new RequestError(
    'summary_failed',
    `No summary was made. ${why.replace(/\.$/, '')}. Nothing was changed: try again, or with another instruction.`,
  );
}

interface Made {
  /** The summary; null where nothing usable came. */
  readonly reply: TreeNode | null;
  readonly problem: string | null;
  readonly calls: readonly { readonly call: Call; readonly raw: RawResponse | null }[];
  readonly renderings: PreparedCall['request']['renderings'];
}

async function send(
  env: Environment,
  { branch }: Range,
  turn: Turn,
  asked: { readonly question: TreeNode; readonly prepared: PreparedCall },
  stopped: AbortSignal,
): Promise<Made> {
  const { request, context } = asked.prepared;
  const provider = env.providers.get(request.issuer.provider);
  const startedAt = env.now().toISOString();
  const hash = createHash('sha256');
  for (const piece of request.pieces ?? [request.body]) hash.update(piece);
  const reply = provider.send(request, {
    signal: AbortSignal.any([stopped, AbortSignal.timeout(PATIENCE_MS)]),
    readBlob: (blob) => env.store.blobs.read(turn.projectId, blob),
  });
  const fold = new ReplyFold();
  let firstByteAt: string | null = null;
  for await (const batch of reply.batches) {
    if (batch.text !== '') firstByteAt ??= env.now().toISOString();
    for (const event of batch.events) fold.push(event);
  }
  const folded = fold.result();
  const { price, reasoning } = provider.modelInfo(request.issuer.model);
  const finished = finishCall(env, {
    turn,
    branchId: branch.id,
    start: {
      callId: env.ids.call(),
      nodeId: env.ids.node(),
      parentId: asked.question.id,
      issuer: request.issuer,
      api: request.protocol,
      requestHash: hash.digest('hex'),
      startedAt,
      madeWith: context.madeWith,
      reasoning,
      ...(price === undefined ? {} : { price }),
    },
    folded,
    raw: reply.raw,
    firstByteAt,
    reasoningMs: null,
    isStopped: false,
    providerRequestId: (await reply.head).providerRequestId,
  });
  const problem = problemOf(folded);
  const node = problem === null ? (finished.nodes[0] ?? null) : null;
  const call: Call = { ...finished.call, nodeId: node?.id ?? null, purpose: 'summary' };
  return {
    reply: node === null ? null : readable(node, summaryTextIn(folded.blocks)),
    problem,
    calls: [{ call, raw: node === null ? null : finished.raw() }],
    renderings: request.renderings,
  };
}

/** A summary that a provider signed goes back from its raw response; people and other models read what it says. */
function readable(reply: TreeNode, said: string | null): TreeNode {
  return said === null ? reply : createNode({ ...reply, contentBlocks: [{ type: 'text', text: said }] });
}
