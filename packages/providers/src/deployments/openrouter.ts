import type { Deployment } from '../deployment.ts';
import type { ChatModel, ModelGuess } from '../protocols/openai-chat/deployment.ts';
import { claudeModelInfo } from '../protocols/anthropic-messages/models.ts';
import { chatDeployment } from '../protocols/openai-chat/deployment.ts';

const thinks = { thinks: 'on_request', maxOutputTokens: 65_536 } as const;
/** What the vendors' models take, they take through the gateway too. */
const sees = { canSee: true, canReadPdfs: true } as const;
const claude = { ...thinks, ...sees, contextWindow: 200_000 } as const;
/** Gemini refuses a tool call that comes back without its reasoning details. */
const gemini = {
  ...thinks,
  ...sees,
  thinks: 'always',
  shows: 'summary',
  contextWindow: 1_048_576,
  traits: { demands: 'tool_calls' },
} as const;
const gpt = { ...thinks, ...sees, shows: 'summary', contextWindow: 400_000, maxOutputTokens: 128_000 } as const;

const FROM_MINIMAL = { efforts: ['minimal', 'low', 'medium', 'high'] };

const models: readonly ChatModel[] = [
  { id: 'anthropic/claude-sonnet-5', label: 'Claude Sonnet 5', ...claude },
  { id: 'anthropic/claude-opus-4.8', label: 'Claude Opus 4.8', ...claude },
  { id: 'anthropic/claude-haiku-4.5', label: 'Claude Haiku 4.5', ...claude },
  { id: 'openai/gpt-5.5', label: 'GPT-5.5', ...gpt },
  { id: 'openai/gpt-5-mini', label: 'GPT-5 mini', ...gpt },
  { id: 'google/gemini-3.5-flash', label: 'Gemini 3.5 Flash', ...gemini },
  { id: 'google/gemini-3.1-pro-preview', label: 'Gemini 3.1 Pro', ...gemini },
  { id: 'deepseek/deepseek-v4-pro', label: 'DeepSeek V4 Pro', ...thinks, contextWindow: 1_000_000 },
  { id: 'moonshotai/kimi-k2.6', label: 'Kimi K2.6', ...thinks, canSee: true, contextWindow: 262_144 },
  { id: 'minimax/minimax-m3', label: 'MiniMax M3', ...thinks, contextWindow: 200_000 },
  { id: 'z-ai/glm-5.2', label: 'GLM-5.2', ...thinks, contextWindow: 200_000 },
];

const server: Deployment = chatDeployment({
  id: 'openrouter',
  label: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  keyEnv: ['OPENROUTER_API_KEY'],
  baseUrlEnv: ['OPENROUTER_BASE_URL'],
  headers: { 'x-title': 'Bough' },
  models,
  defaultModel: 'anthropic/claude-sonnet-5',
  // A model that cannot reason ignores being asked to: so every one is asked, and none loses its reasoning.
  unknown: {
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    canThink: true,
    reasoning: 'full',
    traits: FROM_MINIMAL,
  },
  family: familyOf,
  quirks: {
    dialect: 'openrouter',
    reasoning: 'reasoning_details',
    tokens: 'max_tokens',
    thinking: 'reasoning_object',
    efforts: ['none', 'minimal', 'low', 'medium', 'high'],
  },
});

/** Its list of models needs no key, so it proves nothing about one. */
export const openrouter: Deployment = { ...server, keyPath: '/key' };

/** The vendor in front of the name tells what its models have in common, through the gateway too. */
function familyOf(id: string): ModelGuess | null {
  // `~anthropic/claude-sonnet-latest` is an alias of OpenRouter's.
  const [, vendor, name = ''] = /^~?([^/]+)\/(.+)$/.exec(id) ?? [];
  if (vendor === 'anthropic') {
    // What a model does with thinking whose prefix changed, it does through a gateway too.
    const { bindsThinkingToPrefix } = claudeModelInfo(name.replaceAll('.', '-'));
    return { family: 'Claude', contextWindow: 200_000, bindsThinkingToPrefix };
  }
  if (vendor === 'google' && name.startsWith('gemini-')) {
    const demands = /^gemini-[12]/.test(name) ? {} : { demands: 'tool_calls' };
    return { family: 'Gemini', reasoning: 'summary', traits: { ...FROM_MINIMAL, ...demands } };
  }
  return vendor === 'openai' ? { family: 'OpenAI', reasoning: 'summary' } : null;
}
