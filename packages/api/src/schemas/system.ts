import { z } from '@hono/zod-openapi';
import { Id, ModelId, ProviderId, Secret } from './common.ts';

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
    simulated: z.boolean(),
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
  })
  .openapi('Diagnostics');

export const Health = z
  .object({ status: z.enum(['ok', 'starting', 'stopping', 'failing']), checks: z.record(z.string(), z.string()) })
  .openapi('Health');
export const SearchView = z
  .object({ hits: z.array(z.object({ nodeId: Id, role: z.string(), excerpt: z.string(), createdAt: z.string() })) })
  .openapi('Search');
