import { z } from '@hono/zod-openapi';
import {
  EnvelopeRequest,
  Id,
  LIMITS,
  MaxTokens,
  ModelId,
  Name,
  ProviderId,
  ProviderTools,
  ThinkingSetting,
} from './common.ts';

/** What a new project or branch is made with. */
const PresetEnvelope = {
  provider: z.string(),
  model: z.string(),
  systemPrompt: z.string().nullable(),
  tools: z.array(z.string()),
  thinking: ThinkingSetting,
  /** Null: as many as the model allows. */
  maxTokens: z.number().int().nullable(),
  failEarly: z.boolean(),
  /** What the provider runs itself; absent: nothing. */
  providerTools: ProviderTools.optional(),
};

export const PresetView = z
  .object({
    id: Id,
    name: z.string(),
    ...PresetEnvelope,
    /** What a project is made with if nothing else is asked for. At most one is. */
    isDefault: z.boolean(),
    /** Why it cannot be used as it is; null if it can. */
    problem: z
      .object({
        code: z.enum(['provider_gone', 'model_gone', 'tools_gone', 'provider_not_ready']),
        message: z.string(),
      })
      .nullable(),
  })
  .openapi('Preset');

export const CreatePreset = z
  .object({ ...EnvelopeRequest, name: Name, provider: ProviderId, model: ModelId, isDefault: z.boolean().optional() })
  .strict()
  .openapi('CreatePreset');

export const UpdatePreset = z
  .object({
    ...EnvelopeRequest,
    name: Name.optional(),
    maxTokens: MaxTokens.nullable().optional(),
    isDefault: z.boolean().optional(),
  })
  .strict()
  .openapi('UpdatePreset');

const prompt = {
  title: Name,
  /** `{{name}}` and `{{name:default}}` are asked for when it is used. */
  text: z.string().min(1).max(LIMITS.promptCharacters),
  tags: z.array(Name).max(LIMITS.tags),
};

export const PromptView = z
  .object({ id: Id, title: z.string(), text: z.string(), tags: z.array(z.string()) })
  .openapi('Prompt');

export const CreatePrompt = z
  .object({ ...prompt, tags: prompt.tags.optional() })
  .strict()
  .openapi('CreatePrompt');

export const UpdatePrompt = z
  .object({ title: prompt.title.optional(), text: prompt.text.optional(), tags: prompt.tags.optional() })
  .strict()
  .openapi('UpdatePrompt');

export const ImportPrompts = z
  .object({ prompts: z.array(CreatePrompt).max(LIMITS.importedPrompts) })
  .strict()
  .openapi('ImportPrompts');

/** Null: a title is the first line of the first message. */
export const TitleModel = z
  .object({ model: z.object({ provider: ProviderId, model: ModelId }).strict().nullable() })
  .strict()
  .openapi('TitleModel');
