import type { Deployment } from '../deployment.ts';
import type { ModelGuess } from '../protocols/openai-chat/deployment.ts';
import { chatDeployment, family } from '../protocols/openai-chat/deployment.ts';

/** A local server: no key, whatever models are installed. The window is what Ollama gives a model by default. */
const local = { contextWindow: 32_768, maxOutputTokens: 8_192 } as const;

export const ollama: Deployment = chatDeployment({
  id: 'ollama',
  label: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  keyEnv: ['OLLAMA_API_KEY'],
  baseUrlEnv: ['OLLAMA_BASE_URL'],
  keyOptional: true,
  models: [
    { id: 'gpt-oss:20b', label: 'GPT-OSS 20B', ...local, thinks: 'always' },
    { id: 'qwen3:8b', label: 'Qwen3 8B', ...local, thinks: 'on_request', traits: { thinksByDefault: true } },
    { id: 'llama3.2:3b', label: 'Llama 3.2 3B', ...local },
  ],
  defaultModel: 'gpt-oss:20b',
  unknown: local,
  family: familyOf,
  quirks: {
    dialect: 'ollama',
    reasoning: 'reasoning',
    lastMessage: 'one_assistant',
    toolOnlyContent: 'empty',
    thinking: 'reasoning_effort',
    efforts: ['none', 'low', 'medium', 'high'],
  },
});

/** A model that cannot think refuses every effort, so only names that are known to think are asked to. */
function familyOf(id: string): ModelGuess | null {
  if (id.startsWith('gpt-oss')) return family('GPT-OSS', 'always');
  if (!/^(?:qwen3|deepseek-r1|deepseek-v3\.\d|magistral|glm-4\.[5-9]|kimi-k2)/.test(id)) return null;
  return family(id.replace(/:.*$/, ''), 'on_request', { traits: { thinksByDefault: true } });
}
