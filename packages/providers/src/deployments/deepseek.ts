import type { Deployment } from '../deployment.ts';
import { chatDeployment } from '../protocols/openai-chat/deployment.ts';

const thinks = { thinks: 'on_request', contextWindow: 1_000_000, maxOutputTokens: 384_000 } as const;

/**
 * Requires every assistant message to carry its reasoning as soon as the request offers tools, in all later turns too.
 * If nobody has it (another model's turn), a space is the emptiest value that every version takes: V4 Pro refuses an
 * empty text.
 */
export const deepseek: Deployment = chatDeployment({
  id: 'deepseek',
  label: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com/v1',
  keyEnv: ['DEEPSEEK_API_KEY'],
  baseUrlEnv: ['DEEPSEEK_BASE_URL'],
  models: [
    { id: 'deepseek-v4-pro', label: 'DeepSeek V4 Pro', ...thinks },
    { id: 'deepseek-v4-flash', label: 'DeepSeek V4 Flash', ...thinks },
    {
      id: 'deepseek-reasoner',
      label: 'DeepSeek V3.2, thinking',
      ...thinks,
      thinks: 'always',
      contextWindow: 128_000,
      maxOutputTokens: 64_000,
    },
    {
      id: 'deepseek-chat',
      label: 'DeepSeek V3.2',
      contextWindow: 128_000,
      maxOutputTokens: 8_192,
      traits: { thinksByDefault: false },
    },
  ],
  defaultModel: 'deepseek-v4-flash',
  unknown: { contextWindow: 128_000, maxOutputTokens: 8_192, canThink: true, reasoning: 'full' },
  family: (id) => (id.startsWith('deepseek-') ? { family: 'DeepSeek' } : null),
  quirks: {
    dialect: 'deepseek',
    reasoning: 'reasoning_content',
    demands: 'with_tools',
    blankReasoning: ' ',
    tokens: 'max_tokens',
    thinking: 'thinking_type',
    efforts: ['low', 'high', 'max'],
    thinksByDefault: true,
    forcedToolChoice: 'rejected',
    sampling: 'ignored',
    contentParts: ['text'],
  },
});
