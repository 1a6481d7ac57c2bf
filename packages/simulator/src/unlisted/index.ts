import type { Deployment, ModelFacts, ModelInfo } from '@bough/providers';
import { withFacts } from '@bough/providers';

/** A model that a vendor serves and that Bough's catalogue does not have. */
export interface Unlisted {
  readonly id: string;
  /** What is true of it: what the simulator judges by. */
  readonly facts: ModelFacts;
  /** What the vendor's list says about it, besides its id. */
  readonly entry: Readonly<Record<string, unknown>>;
}

const on = { supported: true };
const off = { supported: false };

/** As the vendors' lists describe their models: by vendor, as the paths of the simulator name them. */
const UNLISTED: Readonly<Record<string, readonly Unlisted[]>> = {
  anthropic: [
    {
      id: 'claude-opus-6-20270101',
      facts: {
        contextWindow: 2_000_000,
        maxOutputTokens: 256_000,
        thinking: { when: 'on_request', how: ['adaptive', 'disabled', 'low', 'medium', 'high'] },
      },
      entry: {
        type: 'model',
        display_name: 'Claude Opus 6',
        created_at: '2027-01-01T00:00:00Z',
        max_input_tokens: 2_000_000,
        max_tokens: 256_000,
        capabilities: {
          image_input: on,
          thinking: { ...on, types: { adaptive: on, enabled: off, disabled: on, between_tools: off } },
          effort: { ...on, low: on, medium: on, high: on, xhigh: off, max: off },
        },
      },
    },
  ],
  gemini: [
    {
      id: 'gemini-4-pro',
      facts: { contextWindow: 2_097_152, maxOutputTokens: 131_072, thinking: { when: 'thinks', how: ['low', 'high'] } },
      entry: { displayName: 'Gemini 4 Pro', inputTokenLimit: 2_097_152, outputTokenLimit: 131_072, thinking: true },
    },
  ],
  openai: [
    // OpenAI lists ids and nothing else.
    { id: 'o1-mini', facts: {}, entry: {} },
    { id: 'gpt-7-sol', facts: {}, entry: {} },
  ],
  openrouter: [
    openrouter('qwen/qwen-next-thinker', 262_144, 32_768, { mandatory: false, supported_efforts: null }),
    openrouter('stealth/oracle', 512_000, null, { mandatory: true, supported_efforts: ['low', 'high'] }),
    openrouter('meta-llama/llama-5-scout', 327_680, 16_384, null),
    openrouter('anthropic/claude-opus-6', 2_000_000, 256_000, { mandatory: false, supported_efforts: null }),
  ],
  mistral: [mistral('magistral-small-2509', ['magistral-small-latest'], true), mistral('mistral-tiny-2407', [], false)],
  groq: [
    {
      id: 'moonshotai/kimi-k2-instruct',
      facts: { contextWindow: 262_144, maxOutputTokens: 16_384, thinking: { when: 'never' } },
      entry: { active: true, context_window: 262_144, max_completion_tokens: 16_384 },
    },
  ],
  moonshot: [
    {
      id: 'kimi-k4',
      facts: { contextWindow: 524_288, thinking: { when: 'always' } },
      entry: { context_length: 524_288, supports_image_in: true, supports_reasoning: true },
    },
  ],
  deepseek: [{ id: 'deepseek-v5', facts: {}, entry: {} }],
  xai: [{ id: 'grok-5', facts: { thinking: { when: 'always', how: ['low', 'medium', 'high'] } }, entry: {} }],
  ollama: [{ id: 'gemma4:12b', facts: { thinking: { when: 'never' } }, entry: {} }],
};

export function unlistedOf(vendor: string): readonly Unlisted[] {
  return UNLISTED[vendor] ?? [];
}

/** The model as the vendor itself knows it; null if it has no such model. */
export function servedModel(vendor: string, deployment: Deployment, id: string): ModelInfo | null {
  const info = deployment.modelInfo(id);
  if (info.known) return info;
  const served = unlistedOf(vendor).find((model) => namesOf(model).includes(id));
  return served === undefined ? null : { ...withFacts(deployment, info, served.facts), known: true };
}

/** Its id, without the date too, and its aliases. */
function namesOf({ id, entry: { aliases } }: Unlisted): readonly unknown[] {
  return [id, id.replace(/-\d{8}$/, ''), ...(Array.isArray(aliases) ? aliases : [])];
}

/** https://openrouter.ai/docs/models */
function openrouter(
  id: string,
  window: number,
  output: number | null,
  reasoning: { readonly mandatory: boolean; readonly supported_efforts: readonly string[] | null } | null,
): Unlisted {
  const efforts = reasoning?.supported_efforts ?? ['none', 'minimal', 'low', 'medium', 'high'];
  const when = reasoning === null ? 'never' : reasoning.mandatory ? 'always' : 'on_request';
  return {
    id,
    facts: {
      contextWindow: window,
      ...(output !== null && { maxOutputTokens: output }),
      thinking: { when, ...(reasoning !== null && { how: efforts }) },
    },
    entry: {
      name: `${id} (simulated)`,
      context_length: window,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      top_provider: { context_length: window, max_completion_tokens: output, is_moderated: false },
      supported_parameters: ['max_tokens', 'tools', ...(reasoning === null ? [] : ['reasoning', 'include_reasoning'])],
      ...(reasoning !== null && { reasoning }),
    },
  };
}

/** https://docs.mistral.ai/api/endpoint/models */
function mistral(id: string, aliases: readonly string[], reasoning: boolean): Unlisted {
  const facts: ModelFacts = {
    contextWindow: 131_072,
    thinking: reasoning ? { when: 'always', how: [] } : { when: 'never' },
  };
  const capabilities = { completion_chat: true, function_calling: true, vision: false, reasoning };
  return { id, facts, entry: { capabilities, aliases, max_context_length: 131_072, name: id } };
}
