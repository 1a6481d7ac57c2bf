import { createHash } from 'node:crypto';
import type { FoldedReply, NodeId, StreamEvent } from '@bough/core';
import { ReplyFold } from '@bough/core';
import type { PreparedCall, Reply, SendPause } from '@bough/providers';
import { cacheHabits } from '@bough/providers';
import type { PlannedRequest } from '../assemble/index.ts';
import { expectationOf } from '../assemble/repetition.ts';
import type { Environment } from '../environment.ts';
import type { FinishedCall } from './finish.ts';
import { finishCall } from './finish.ts';
import { BatchLines } from './lines.ts';
import { MadeFiles } from './made-files.ts';
import type { CallStart } from './record.ts';
import type { RunningTurn } from './running.ts';

/** Shorter pauses before another attempt pass before anybody could read about them. */
const TOLD_PAUSE_MS = 2_000;

export interface MadeCall extends FinishedCall {
  readonly folded: FoldedReply;
}

/** One request and its reply: every batch is durable before it is shown, and whatever arrived is kept. */
export async function makeCall(
  env: Environment,
  running: RunningTurn,
  { prepared, repeated, comparedWith }: PlannedRequest,
): Promise<MadeCall> {
  const { request, context } = prepared;
  const provider = env.providers.get(request.issuer.provider);
  const model = provider.modelInfo(request.issuer.model);
  const { price, reasoning } = model;
  const expected = expectationOf(repeated, cacheHabits(provider.deployment, model), env.now());
  const start: CallStart = {
    callId: env.ids.call(),
    nodeId: env.ids.node(),
    parentId: running.tip,
    issuer: request.issuer,
    api: request.protocol,
    requestHash: hashOf(request),
    startedAt: env.now().toISOString(),
    madeWith: context.madeWith,
    reasoning,
    ...(price === undefined ? {} : { price }),
    ...(expected === null ? {} : { expected }),
    ...(comparedWith === null ? {} : { isCompared: true }),
    ...(Object.keys(running.limits).length === 0 ? {} : { limits: running.limits }),
  };
  // Durable before the provider is called: a server that finds this turn without its owner knows how to fold the rest.
  await running.log.write({ lines: [nodeLine(start.nodeId, request.issuer.model)], call: start });
  await running.log.flush();

  const onPause = ({ code, milliseconds }: SendPause): void => {
    if (milliseconds < TOLD_PAUSE_MS) return;
    const until = new Date(env.now().getTime() + milliseconds).toISOString();
    // A log that cannot be written to ends the turn with the next batch.
    running.log.write({ lines: [{ type: 'waiting', code, milliseconds, until }] }).catch(() => undefined);
  };
  const { blobs } = env.store;
  const { projectId } = running.turn;
  const reply = provider.send(request, {
    signal: running.abort.signal,
    onPause,
    readBlob: (hash) => blobs.read(projectId, hash),
  });
  const made = new MadeFiles(env);
  const { fold, firstByteAt, reasoningMs } = await readReply(env, running, reply, made);
  const arrived = fold.result();
  const folded = { ...arrived, blocks: await made.of(arrived.blocks) };
  const head = await reply.head;
  const finished = finishCall(env, {
    turn: running.turn,
    branchId: running.branch.id,
    start,
    folded,
    raw: reply.raw,
    firstByteAt,
    reasoningMs,
    isStopped: running.isStopped,
    providerRequestId: head.providerRequestId,
  });
  return { ...finished, folded };
}

/** Hashed by the platform: a body has megabytes, and core's own hash would cost more than building it did. */
function hashOf({ pieces, body }: PreparedCall['request']): string {
  const hash = createHash('sha256');
  for (const piece of pieces ?? [body]) hash.update(piece);
  return hash.digest('hex');
}

async function readReply(
  env: Environment,
  running: RunningTurn,
  reply: Reply,
  made: MadeFiles,
): Promise<{ readonly fold: ReplyFold; readonly firstByteAt: string | null; readonly reasoningMs: number | null }> {
  const fold = new ReplyFold();
  const lines = new BatchLines();
  let firstByteAt: string | null = null;
  let thoughtSince: number | null = null;
  let reasoningMs: number | null = null;
  for await (const batch of reply.batches) {
    if (batch.text !== '') firstByteAt ??= env.now().toISOString();
    if (batch.events.some(isThought)) {
      const now = env.now().getTime();
      thoughtSince ??= now;
      reasoningMs = now - thoughtSince;
    }
    for (const event of batch.events) fold.push(event);
    const shown = lines.write(await made.shown(batch.events));
    if (shown.length > 0 || batch.text !== '') await running.log.write({ lines: shown, text: batch.text });
  }
  return { fold, firstByteAt, reasoningMs };
}

function isThought({ type }: StreamEvent): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function nodeLine(nodeId: NodeId, model: string) {
  return { type: 'node', nodeId, model } as const;
}
