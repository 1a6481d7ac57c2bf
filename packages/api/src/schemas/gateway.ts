import { z } from '@hono/zod-openapi';
import { Id, Usage } from './common.ts';

/** How the conversations of other clients are passed on. */
export const GatewayMode = z.enum(['record', 'repair']);

/** A call that a client made through the gateway: who sent it, how, and what was changed in it. */
export const RecordedCallView = z
  .object({
    id: Id,
    turnId: Id,
    nodeId: Id.nullable(),
    provider: z.string(),
    model: z.string(),
    status: z.enum(['running', 'complete', 'error', 'interrupted']),
    startedAt: z.string(),
    endedAt: z.string().nullable(),
    usage: Usage.nullable(),
    cost: z.number().nullable(),
    errorCode: z.string().nullable(),
    /** The client's name, with its version if it says one. */
    client: z.string(),
    session: z.string().nullable(),
    mode: z.enum(['record', 'repair', 'route']),
    /** The protocol that the client spoke. */
    protocol: z.string(),
    /** The vendor's path, without secrets. */
    path: z.string(),
    /** Whether another body left than came. */
    changed: z.boolean(),
    repairs: z.array(z.object({ rule: z.string(), at: z.string(), what: z.string() })),
  })
  .openapi('RecordedCall');

/** A body as it was, or its beginning: the whole is at `…/body`. */
const BodyView = z.object({ text: z.string(), characters: z.number(), whole: z.boolean() });

const DiffLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() }),
  /** Unchanged lines that are left out. */
  z.object({ kind: z.literal('gap'), count: z.number() }),
]);

/** Why a request found less in the provider's cache than the one before had brought. */
const CacheCause = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['first', 'hit', 'unmarked', 'short', 'provider', 'unknown']) }),
  z.object({ kind: z.literal('model'), name: z.string() }),
  z.object({ kind: z.enum(['tools', 'settings', 'message']), name: z.string(), at: z.number() }),
  z.object({ kind: z.literal('system'), at: z.number() }),
  z.object({ kind: z.literal('far'), blocks: z.number() }),
  z.object({ kind: z.literal('expired'), minutes: z.number() }),
]);

export const ExchangeView = z
  .object({
    call: RecordedCallView,
    /** What the client asked for; null if that is gone. */
    askedModel: z.string().nullable(),
    /** Null if a part of it is gone with deleted messages. */
    came: BodyView.nullable(),
    /** Null where it is the same as what came, to the byte, or is gone. */
    sent: BodyView.nullable(),
    difference: z
      .object({ lines: z.array(DiffLine), added: z.number(), removed: z.number(), more: z.number() })
      .nullable(),
    /** The request before it in the same conversation. */
    previousCallId: Id.nullable(),
    cache: z.object({
      cause: CacheCause,
      /** Tokens that were read anew although the request before had brought them. */
      lostTokens: z.number().nullable(),
      /** Estimated from the text, because the provider did not count. */
      isEstimated: z.boolean(),
      /** In US dollars; null without a price. */
      lostCost: z.number().nullable(),
      savedCost: z.number().nullable(),
    }),
    /** What the provider itself says of a miss; null if it says nothing. */
    told: z.object({ reason: z.string(), missedTokens: z.number().nullable() }).nullable(),
  })
  .openapi('Exchange');

export const GatewaySessionsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).optional(),
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});

/** A project into which the gateway records, with what its clients used. */
export const GatewaySessionView = z
  .object({
    projectId: Id,
    name: z.string(),
    lastUsedAt: z.string(),
    /** Whether a reply is coming at the moment. */
    running: z.boolean(),
    mode: GatewayMode,
    /** How many branches were recorded: the conversation, its forks and what ran beside it. */
    branches: z.number(),
    /** With their versions. */
    clients: z.array(z.string()),
    models: z.array(z.object({ provider: z.string(), model: z.string() })),
    requests: z.number(),
    /** How many of them left otherwise than they came. */
    repaired: z.number(),
    routed: z.number(),
    inputTokens: z.number(),
    cachedInputTokens: z.number(),
    cacheWriteTokens: z.number(),
    outputTokens: z.number(),
    /** In US dollars; null if no price is known. */
    cost: z.number().nullable(),
    repairs: z.array(z.object({ rule: z.string(), count: z.number() })),
    /** The newest turn of its main conversation; null if that was deleted. */
    newestTurnId: Id.nullable(),
  })
  .openapi('GatewaySession');
