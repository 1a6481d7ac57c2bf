import { createHash } from 'node:crypto';
import type { Call, FoldedReply, NodeId, RawResponse, TreeNode, Turn } from '@bough/core';
import { createNode, isTextBlock, isToolUseBlock, ReplyFold } from '@bough/core';
import type { PreparedCall } from '@bough/providers';
import { cacheHabits, objectionIn, summaryTextIn } from '@bough/providers';
import { RequestError } from '../admit/errors.ts';
import { thinks } from '../admit/thinks.ts';
import type { PlannedRequest } from '../assemble/index.ts';
import { expectationOf } from '../assemble/repetition.ts';
import type { Environment } from '../environment.ts';
import type { EndedCallStatus } from '../turn/finish.ts';
import { finishCall } from '../turn/finish.ts';
import { lostContainer, lostFile, refusesHistory } from '../turn/refusals.ts';
import type { Range } from './range.ts';
import type { Planned, Way, Without } from './request.ts';
import { askFor, planFirst, questionOf, requireRead, waysFor } from './request.ts';

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
  const first = await planSendable(env, range, question, ways);
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
  const made = await sendInTurn(env, { range, turn, question, ways, signal: given.signal }, first);
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

/** As `planFirst` does; refused where the request would be. */
async function planSendable(env: Environment, range: Range, question: TreeNode, ways: Way[]): Promise<Planned> {
  const first = await planFirst(env, range, question, ways);
  const { prepared } = first.planned;
  requireRead(prepared);
  const broken = objectionIn(prepared.request.violations);
  if (broken !== undefined) throw failed(`The request for it would be rejected (${broken.rule}: ${broken.message})`);
  return first;
}

interface Task {
  readonly range: Range;
  readonly turn: Turn;
  readonly question: TreeNode;
  /** What was not tried yet. */
  readonly ways: Way[];
  readonly signal: AbortSignal;
}

/** In one way after the other: a provider may refuse for one model what it does for another, which can be asked. */
async function sendInTurn(env: Environment, task: Task, first: Planned): Promise<Made> {
  let made = await sendUntilTaken(env, task, first);
  while (made.reply === null && task.ways.length > 0 && !task.signal.aborted) {
    try {
      const next = await planSendable(env, task.range, task.question, task.ways);
      const other = await sendUntilTaken(env, task, next);
      made = { ...other, calls: [...made.calls, ...other.calls] };
    } catch (error) {
      // The turn has begun, and is closed with why the first way failed.
      if (!(error instanceof RequestError)) throw error;
    }
  }
  return made;
}

/** Once more without what the provider refuses it for, as any other request of the conversation is made. */
async function sendUntilTaken(
  env: Environment,
  task: Task,
  { way, planned }: Planned,
  without: Without = {},
): Promise<Made> {
  const { range, turn, question, signal } = task;
  const made = await send(env, range, turn, { question, planned }, signal);
  const refused = signal.aborted ? null : refusedFor(made, planned.prepared, without);
  if (refused === null) return made;
  const lighter = { ...without, ...refused };
  const other = { way, planned: await askFor(env, range, question, way, lighter) };
  const last = await sendUntilTaken(env, task, other, lighter);
  return { ...last, calls: [...made.calls, ...last.calls] };
}

function refusedFor({ ended }: Made, { request, context }: PreparedCall, without: Without): Without | null {
  const { mayBringFiles = true, mayUseContainers = true, mayShareReasoning = true } = without;
  if (mayBringFiles && request.namesFiles === true && lostFile(ended)) return { mayBringFiles: false };
  if (mayUseContainers && request.namesContainer === true && lostContainer(ended)) return { mayUseContainers: false };
  if (mayShareReasoning && context.breakNodeId !== null && refusesHistory(ended)) return { mayShareReasoning: false };
  return null;
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
  readonly ended: { readonly folded: FoldedReply; readonly status: EndedCallStatus };
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
  asked: { readonly question: TreeNode; readonly planned: PlannedRequest },
  stopped: AbortSignal,
): Promise<Made> {
  const { prepared, repeated, comparedWith } = asked.planned;
  const { request, context } = prepared;
  const provider = env.providers.get(request.issuer.provider);
  const model = provider.modelInfo(request.issuer.model);
  const expected = expectationOf(repeated, cacheHabits(provider.deployment, model), env.now());
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
  const { price, reasoning } = model;
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
      ...(expected === null ? {} : { expected }),
      ...(comparedWith === null ? {} : { isCompared: true }),
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
    ended: { folded, status: finished.status },
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
