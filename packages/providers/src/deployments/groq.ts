import type { Deployment } from '../deployment.ts';
import type { ModelGuess } from '../protocols/openai-chat/deployment.ts';
import { chatDeployment, family } from '../protocols/openai-chat/deployment.ts';

/** Emits `reasoning` and takes it back under that name only: `reasoning_content` is refused. */
export const groq: Deployment = chatDeployment({
  id: 'groq',
  label: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  keyEnv: ['GROQ_API_KEY'],
  baseUrlEnv: ['GROQ_BASE_URL'],
  models: [
    {
      id: 'openai/gpt-oss-120b',
      label: 'GPT-OSS 120B',
      contextWindow: 131_072,
      maxOutputTokens: 65_536,
      thinks: 'always',
    },
    {
      id: 'openai/gpt-oss-20b',
      label: 'GPT-OSS 20B',
      contextWindow: 131_072,
      maxOutputTokens: 65_536,
      thinks: 'always',
    },
    {
      id: 'qwen/qwen3-32b',
      label: 'Qwen3 32B',
      contextWindow: 131_072,
      maxOutputTokens: 40_960,
      thinks: 'on_request',
      traits: { efforts: ['none', 'default'], thinksByDefault: true, reasoningFormat: 'parsed' },
    },
    {
      id: 'llama-3.3-70b-versatile',
      label: 'Llama 3.3 70B',
      contextWindow: 131_072,
      maxOutputTokens: 32_768,
      traits: { efforts: [] },
    },
  ],
  defaultModel: 'openai/gpt-oss-120b',
  unknown: { contextWindow: 131_072, maxOutputTokens: 8_192, traits: { efforts: [] } },
  family: familyOf,
  quirks: {
    dialect: 'groq',
    reasoning: 'reasoning',
    tokens: 'max_completion_tokens',
    toolOnlyContent: 'omitted',
    unknownKeys: 'rejected',
    thinking: 'reasoning_effort',
  },
});

function familyOf(id: string): ModelGuess | null {
  if (/gpt-oss/.test(id)) return family('GPT-OSS', 'always', { traits: {} });
  if (/qwen-?3/.test(id)) {
    const traits = { efforts: ['none', 'default'], thinksByDefault: true, reasoningFormat: 'parsed' };
    return family('Qwen3', 'on_request', { traits });
  }
  return /^(?:llama|meta-llama|gemma)/.test(id) ? family('Llama', 'never') : null;
}
