import { z } from '@hono/zod-openapi';

/** Errors as problem details (RFC 9457) with a stable `code`. */
export const Problem = z
  .object({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.number().int(),
    /** Decide by this, never by the sentence. */
    code: z.string(),
    /** What to do next, for people. */
    detail: z.string(),
    /** More about it: the running turn's id, the field that is wrong, the lock of the branch. */
    extra: z.record(z.string(), z.unknown()).optional(),
    requestId: z.string().optional(),
  })
  .openapi('Problem');

export const LIMITS = {
  messageCharacters: 1_000_000,
  nameCharacters: 200,
  systemPromptCharacters: 200_000,
  tools: 128,
  pageTurns: 200,
  pageProjects: 200,
  regenerate: 8,
} as const;

export const Name = z.string().trim().min(1).max(LIMITS.nameCharacters);
export const Id = z.string().min(1).max(200);
export const ThinkingSetting = z
  .union([
    z.enum(['off', 'low', 'medium', 'high']),
    z.object({ budgetTokens: z.number().int().min(1).max(1_000_000) }).strict(),
  ])
  .openapi('ThinkingSetting');

/** Any block that may come back: known ones have their fields, custom ones whatever they were stored with. */
export const ContentBlock = z.object({ type: z.string() }).loose().openapi('ContentBlock');

/** What the tree-level routes and messages take: a text, or text blocks. Anything else is refused by the engine with a clear error. */
export const MessageContent = z
  .union([
    z.string().max(LIMITS.messageCharacters),
    z
      .array(z.object({ type: z.string() }).loose())
      .min(1)
      .max(1000),
  ])
  .openapi('MessageContent');

export const EnvelopeRequest = {
  provider: z.string().min(1).max(100).optional(),
  model: z.string().min(1).max(200).optional(),
  systemPrompt: z.string().max(LIMITS.systemPromptCharacters).nullable().optional(),
  tools: z.array(z.string().min(1).max(200)).max(LIMITS.tools).optional(),
  thinking: ThinkingSetting.optional(),
};

export const Usage = z
  .object({
    inputTokens: z.number().optional(),
    cachedInputTokens: z.number().optional(),
    cacheWriteTokens: z.number().optional(),
    outputTokens: z.number().optional(),
    reasoningTokens: z.number().optional(),
  })
  .openapi('Usage');
