import { CHOICES, COMPACTING_MODES, FILES_OTHERWISE, PROVIDER_TOOL_NAMES } from '@bough/core';
import { z } from '@hono/zod-openapi';

/** Errors as problem details (RFC 9457) with a stable `code`. */
export const Problem = z
  .object({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.number().int(),
    /** Decide by this, never by the message. */
    code: z.string(),
    /** What to do next, for people. */
    detail: z.string(),
    /** More details: the running turn's id, the invalid field, the lock of the branch. */
    extra: z.record(z.string(), z.unknown()).optional(),
    requestId: z.string().optional(),
  })
  .openapi('Problem');

export const LIMITS = {
  messageCharacters: 1_000_000,
  nameCharacters: 200,
  fileNameCharacters: 1_000,
  systemPromptCharacters: 200_000,
  tools: 128,
  pageTurns: 200,
  pageProjects: 200,
  /** The most nodes of a graph in one answer. */
  graphNodes: 10_000,
  /** How many places of an outline can be open at once. */
  openNodes: 100,
  regenerate: 8,
  /** How many answers one question to several models may have. */
  askAnswers: 16,
  promptCharacters: 200_000,
  tags: 20,
  importedPrompts: 2_000,
  choices: 10_000,
  summaries: 1_000,
  instructionCharacters: 20_000,
} as const;

/** A name or id must survive every URL and every store: lone surrogates and NUL do not. */
const whole = (schema: z.ZodString) =>
  schema.refine((text) => text.isWellFormed() && !text.includes('\0'), {
    message: 'must be whole Unicode text, without halves of surrogate pairs and without NUL',
  });
const named = (maxCharacters: number) => whole(z.string().min(1).max(maxCharacters));

export const Name = whole(z.string().trim().min(1).max(LIMITS.nameCharacters));
export const Id = named(200);

/** What is decided about a message on a branch: the model does not get it, or always gets it. */
export const Choice = z.enum(CHOICES);
/** By message: what is decided about it from now on; null: nothing. */
export const ChoiceChanges = z
  .record(Id, Choice.nullable())
  .refine((choices) => Object.keys(choices).length <= LIMITS.choices, {
    message: `at most ${LIMITS.choices} messages`,
  });
/** What happens as the window fills up: nothing is summarised, it is told, or it is done; from which share on. */
export const Compacting = z
  .object({ mode: z.enum(COMPACTING_MODES), share: z.number().min(0.05).max(1) })
  .strict()
  .openapi('Compacting');
/** A branch, by name or id. */
export const Ref = named(LIMITS.nameCharacters);
export const ProviderId = named(100);
export const ModelId = named(200);
export const ToolName = named(200);
export const ClientRequestId = named(200);
/** Made by providers and gateways; some carry a signature inside. */
export const ToolCallId = named(20_000);
export const Color = whole(z.string().max(32));
export const Secret = named(2000);
export const ThinkingSetting = z
  .union([
    z.enum(['off', 'low', 'medium', 'high']),
    z.object({ budgetTokens: z.number().int().min(1).max(1_000_000) }).strict(),
  ])
  .openapi('ThinkingSetting');

/** Any block that may be returned: known ones have their fields, custom ones whatever they were stored with. */
export const ContentBlock = z.object({ type: z.string() }).loose().openapi('ContentBlock');

/**
 * What the tree-level routes and messages accept: a text, or text blocks and the blocks of uploaded files, as the
 * upload returned them. The server refuses anything else with a clear error.
 */
export const MessageContent = z
  .union([
    z.string().max(LIMITS.messageCharacters),
    z
      .array(z.object({ type: z.string().max(200) }).loose())
      .min(1)
      .max(1000)
      .refine((blocks) => charactersOf(blocks) <= LIMITS.messageCharacters, {
        message: `a message has at most ${LIMITS.messageCharacters} characters, over all of its blocks`,
      }),
  ])
  .openapi('MessageContent');

/**
 * What becomes of files that the model does not take. `text`: their text, or a line that names them; `omit`: nothing.
 */
export const FilesOtherwise = z.enum(FILES_OTHERWISE);

/** How long a reply may be. */
export const MaxTokens = z.number().int().min(1).max(100_000_000);
/** What a single request may ask for; the branch keeps its own. */
export const ReplyLimits = {
  /** The most tokens of the reply; more than the model gives, or than there is room for, is lowered to what fits. */
  maxTokens: MaxTokens.optional(),
  /** Refuse the request where `maxTokens` does not fit, instead of lowering it. */
  failEarly: z.boolean().optional(),
};

const Words = z.string().min(1).max(2_000);
const WordList = z.array(Words).max(200);

/**
 * What the provider runs itself for the model, with its settings. Which tools and settings a model takes is in the list
 * of providers (`providerTools`); anything else is refused with `provider_tool_not_offered`. Secrets have no
 * place here: what a remote MCP server is shown is named, as the configuration names it (`secrets`).
 */
export const ProviderTool = z
  .object({
    tool: z.enum(PROVIDER_TOOL_NAMES),
    settings: z
      .object({
        allowedDomains: WordList.optional(),
        blockedDomains: WordList.optional(),
        /** How often a reply may use it. */
        maxUses: z.number().int().min(1).max(1_000).optional(),
        userLocation: z
          .object({
            city: Words.optional(),
            region: Words.optional(),
            country: Words.optional(),
            timezone: Words.optional(),
          })
          .strict()
          .optional(),
        vectorStores: WordList.optional(),
        maxResults: z.number().int().min(1).max(50).optional(),
        size: Words.optional(),
        quality: Words.optional(),
        serverUrl: z.url().max(2_000).optional(),
        serverLabel: Words.optional(),
        /** The name of a configured secret, never the secret itself. */
        authorization: Words.optional(),
        allowedTools: WordList.optional(),
      })
      .strict()
      .optional(),
  })
  .strict()
  .openapi('ProviderTool');
export const ProviderTools = z.array(ProviderTool).max(20);

export const EnvelopeRequest = {
  provider: ProviderId.optional(),
  model: ModelId.optional(),
  systemPrompt: z.string().max(LIMITS.systemPromptCharacters).nullable().optional(),
  tools: z.array(ToolName).max(LIMITS.tools).optional(),
  thinking: ThinkingSetting.optional(),
  filesOtherwise: FilesOtherwise.optional(),
  providerTools: ProviderTools.optional(),
  ...ReplyLimits,
};

/**
 * From where another system prompt counts. `here`: appended as a message of its own, so that everything before it stays
 * what was sent. `beginning`: in place of the old one, which changes the beginning of every request. Absent: from here
 * on, if the model takes instructions there.
 */
export const InstructionsFrom = z.enum(['here', 'beginning']).optional();

export const Usage = z
  .object({
    inputTokens: z.number().optional(),
    cachedInputTokens: z.number().optional(),
    cacheWriteTokens: z.number().optional(),
    /** The part of it that is kept for an hour, where that costs more. */
    longCacheWriteTokens: z.number().optional(),
    outputTokens: z.number().optional(),
    reasoningTokens: z.number().optional(),
    /** From the first to the last piece of reasoning that arrived. */
    reasoningMs: z.number().optional(),
    /** The part of all that which other models used, because the provider asked them. */
    others: z
      .array(
        z.object({
          model: z.string(),
          inputTokens: z.number().optional(),
          cachedInputTokens: z.number().optional(),
          cacheWriteTokens: z.number().optional(),
          longCacheWriteTokens: z.number().optional(),
          outputTokens: z.number().optional(),
          reasoningTokens: z.number().optional(),
        }),
      )
      .readonly()
      .optional(),
    /** How much of the request Bough had sent to this model before, in the same place: what a cache can have. */
    expectedCachedTokens: z.number().optional(),
    /** How old that was when the call began. */
    expectedAgeMs: z.number().optional(),
    /** What the provider itself says about its cache, where it was asked. */
    cacheTold: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('same') }),
        z.object({ type: z.literal('differs'), reason: z.string(), missedTokens: z.number().optional() }),
        z.object({ type: z.literal('unknown'), reason: z.string() }),
      ])
      .optional(),
  })
  .openapi('Usage');

/**
 * The texts of the blocks and everything else in them, including names. Not recursive: blocks may be nested as deep as
 * a body is long.
 */
function charactersOf(blocks: readonly Readonly<Record<string, unknown>>[]): number {
  let characters = 0;
  const rest: unknown[] = [];
  for (const { type: _, text, ...others } of blocks) rest.push(text, ...(isEmpty(others) ? [] : [others]));
  for (let value = rest.pop(); value !== undefined || rest.length > 0; value = rest.pop()) {
    if (typeof value === 'string') characters += value.length;
    else if (Array.isArray(value)) for (const item of value as readonly unknown[]) rest.push(item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) rest.push(name, member);
  }
  return characters;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
