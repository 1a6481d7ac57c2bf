import { createHash } from 'node:crypto';
import type { Call, FoldedReply, Lock, Turn } from '@bough/core';
import { createNode, isTextBlock, readTitle, ReplyFold, TITLE_INSTRUCTIONS, titleMessage } from '@bough/core';
import type { PreparedCall, Provider } from '@bough/providers';
import { objectionIn, prepareCall } from '@bough/providers';
import type { Environment } from '../environment.ts';
import { finishCall } from '../turn/finish.ts';

export interface WrittenTitle {
  /** Null where nothing usable came. */
  readonly title: string | null;
  /** Null where nothing was sent. */
  readonly call: Call | null;
}

export interface TitleRequest {
  readonly model: Lock;
  readonly question: string;
  readonly answer: string;
}

const NOTHING: WrittenTitle = { title: null, call: null };

/** A title is short; a model that cannot but think needs room for that as well. */
const TITLE_TOKENS = 200;
const THINKING_TOKENS = 4_000;

/**
 * Asks a model for a title: one request that no conversation contains, prepared, checked and sent like any other. What
 * goes wrong is an outcome, not an error.
 */
export async function writeTitle(
  env: Environment,
  turn: Turn,
  request: TitleRequest,
  signal: AbortSignal,
): Promise<WrittenTitle> {
  const provider = env.providers.list().find(({ deployment }) => deployment.id === request.model.provider);
  // Its provider is gone from the configuration, or its key is: the first line is a title as well.
  if (provider === undefined || provider.keyProblem !== null) return NOTHING;
  const { model } = request.model;
  await provider.findModel(model, 'calling');
  const prepared = prepare(env, turn, provider, request);
  if (objectionIn(prepared.request.violations) !== undefined) return NOTHING;
  const { folded, call } = await send(env, turn, provider, prepared, signal);
  const text = folded.blocks.filter(isTextBlock).map((block) => block.text);
  return { title: folded.error === null && folded.stop === 'end_turn' ? readTitle(text.join('')) : null, call };
}

function prepare(env: Environment, turn: Turn, provider: Provider, { model, ...quoted }: TitleRequest): PreparedCall {
  const { alwaysThinks } = provider.modelInfo(model.model);
  const message = createNode({
    id: env.ids.node(),
    projectId: turn.projectId,
    parentId: null,
    role: 'user',
    contentBlocks: [{ type: 'text', text: titleMessage(quoted.question, quoted.answer) }],
    createdAt: turn.createdAt,
  });
  return prepareCall(
    [message],
    {
      provider,
      model: model.model,
      systemPrompt: TITLE_INSTRUCTIONS,
      tools: [],
      thinking: alwaysThinks ? 'low' : 'off',
      maxTokens: alwaysThinks ? THINKING_TOKENS : TITLE_TOKENS,
    },
    { rawOf: () => undefined },
  );
}

async function send(
  env: Environment,
  turn: Turn,
  provider: Provider,
  { request, context }: PreparedCall,
  signal: AbortSignal,
): Promise<{ readonly folded: FoldedReply; readonly call: Call }> {
  const startedAt = env.now().toISOString();
  const reply = provider.send(request, { signal });
  const fold = new ReplyFold();
  let firstByteAt: string | null = null;
  for await (const batch of reply.batches) {
    if (batch.text !== '') firstByteAt ??= env.now().toISOString();
    for (const event of batch.events) fold.push(event);
  }
  const folded = fold.result();
  const { price, reasoning } = provider.modelInfo(request.issuer.model);
  const { call } = finishCall(env, {
    turn,
    branchId: null,
    start: {
      callId: env.ids.call(),
      nodeId: env.ids.node(),
      parentId: env.ids.node(),
      issuer: request.issuer,
      api: request.protocol,
      requestHash: createHash('sha256').update(request.body).digest('hex'),
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
  return { folded, call: { ...call, nodeId: null, purpose: 'title' } };
}
