import { PROVIDER_TOOL_NAMES } from '@bough/core';
import { z } from '@hono/zod-openapi';
import { ModelId, ProviderId, Secret } from './common.ts';
import { GatewayMode } from './gateway.ts';

export const ModelView = z
  .object({
    id: z.string(),
    label: z.string(),
    contextWindow: z.number(),
    maxOutputTokens: z.number(),
    reasoning: z.enum(['none', 'summary', 'full', 'redacted', 'partial']),
    canThink: z.boolean(),
    alwaysThinks: z.boolean(),
    bindsThinkingToPrefix: z.boolean(),
    canUseTools: z.boolean(),
    /** Whether instructions may be added in the middle of a conversation. */
    takesInstructions: z.boolean(),
    /** The media types of files that it takes as they are; files that are text go to every model. */
    takesFiles: z.array(z.string()),
    /** What the provider runs itself for it, if it is switched on, with the settings that each takes and needs. */
    providerTools: z.array(
      z.object({ tool: z.enum(PROVIDER_TOOL_NAMES), settings: z.array(z.string()), required: z.array(z.string()) }),
    ),
    price: z.object({ input: z.number(), output: z.number(), asOf: z.string() }).nullable(),
  })
  .openapi('Model');

export const ProviderView = z
  .object({
    id: z.string(),
    label: z.string(),
    protocol: z.string(),
    baseUrl: z.string(),
    /** A key is set, or none is needed. No route ever returns the key itself. */
    ready: z.boolean(),
    /**
     * `other_address`: there is a key, but for another address; `unreadable`: it was sealed with another key file.
     * Either must be entered again.
     */
    keySource: z.enum(['environment', 'stored', 'none', 'not_needed', 'other_address', 'unreadable']),
    /** The environment variable that holds the key, or that would be read for it; null if there is none. */
    keyVariable: z.string().nullable(),
    simulated: z.boolean(),
    /** Built in, or an entry of the configuration file or of the settings page. */
    from: z.enum(['built_in', 'file', 'page']),
    defaultModel: z.string(),
    models: z.array(ModelView),
  })
  .openapi('Provider');

export const ProviderList = z
  .object({
    providers: z.array(ProviderView),
    defaults: z.object({ provider: z.string(), model: z.string() }),
  })
  .openapi('ProviderList');

export const SetProviderKey = z.object({ key: Secret }).strict().openapi('SetProviderKey');
export const SetProviderBaseUrl = z
  .object({ baseUrl: z.url().max(2000).nullable() })
  .strict()
  .openapi('SetProviderBaseUrl');
export const OpenSession = z.object({ token: Secret }).strict().openapi('OpenSession');

export const SessionView = z.object({ tokenRequired: z.boolean() }).openapi('Session');

export const SetDefaults = z.object({ provider: ProviderId, model: ModelId }).strict().openapi('SetDefaults');

export const ToolView = z
  .object({
    name: z.string(),
    description: z.string(),
    approval: z.enum(['auto', 'ask', 'never']),
    source: z.string(),
    available: z.boolean(),
  })
  .openapi('Tool');

export const DiagnosticsView = z
  .object({
    availability: z.array(
      z.object({ provider: z.string(), model: z.string(), availability: z.string(), count: z.number() }),
    ),
    calls: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        status: z.string(),
        errorCode: z.string().nullable(),
        /** What they were made for, if not for a reply. */
        purpose: z.enum(['title', 'summary']).nullable(),
        count: z.number(),
        inputTokens: z.number(),
        outputTokens: z.number(),
        reasoningTokens: z.number(),
        cost: z.number().nullable(),
      }),
    ),
    /** Since this server started. */
    drops: z.array(z.object({ reason: z.string(), count: z.number() })),
    rejections: z.number(),
    /** Calls of other clients through the gateway. */
    recorded: z.array(
      z.object({
        client: z.string(),
        provider: z.string(),
        model: z.string(),
        mode: z.enum(['record', 'repair', 'route']),
        count: z.number(),
        repaired: z.number(),
        inputTokens: z.number(),
        cachedInputTokens: z.number(),
        cacheWriteTokens: z.number(),
        outputTokens: z.number(),
        cost: z.number().nullable(),
      }),
    ),
    /** What was changed in them, and how the changed calls ended. */
    repairs: z.array(
      z.object({
        client: z.string(),
        provider: z.string(),
        rule: z.string(),
        status: z.string(),
        count: z.number(),
      }),
    ),
    /** Calls whose provider read less from its cache than it had been sent before, by why. */
    cache: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        /** In the provider's own word where it says one; else `expired` or `unexplained`. */
        reason: z.string(),
        count: z.number(),
        missedTokens: z.number(),
      }),
    ),
    /** Conversations that passed without being recorded as a whole, since this server started. */
    unrecorded: z.number(),
  })
  .openapi('Diagnostics');

export const GatewayView = z
  .object({
    mode: GatewayMode,
    /** Requests that are under way. */
    running: z.number(),
    /** Conversations that passed without being recorded as a whole. */
    unrecorded: z.number(),
    /** Since this server started, the last one first. */
    clients: z.array(
      z.object({
        client: z.string(),
        version: z.string().nullable(),
        providers: z.array(z.string()),
        requests: z.number(),
        lastSeenAt: z.string(),
      }),
    ),
    /** The first one that fits sends a client's model to another provider. */
    routes: z.array(
      z.object({
        from: z.string(),
        model: z.string(),
        to: z.object({ provider: z.string(), model: z.string() }),
      }),
    ),
  })
  .openapi('Gateway');

export const Health = z
  .object({ status: z.enum(['ok', 'starting', 'stopping', 'failing']), checks: z.record(z.string(), z.string()) })
  .openapi('Health');
