import type { Deployment } from '../deployment.ts';
import { chatDeployment } from '../protocols/openai-chat/deployment.ts';
import { OPENAI_CHAT_MODELS } from '../protocols/openai-chat/models.ts';

export const openai: Deployment = chatDeployment({
  id: 'openai',
  label: 'OpenAI (Chat Completions)',
  baseUrl: 'https://api.openai.com/v1',
  keyEnv: ['OPENAI_API_KEY'],
  baseUrlEnv: ['OPENAI_BASE_URL'],
  models: OPENAI_CHAT_MODELS,
  defaultModel: 'gpt-5.1',
  unknown: { contextWindow: 128_000, maxOutputTokens: 16_384 },
  quirks: {
    dialect: 'openai',
    systemPlace: 'anywhere',
    tokens: 'max_completion_tokens',
    toolIds: 'max40',
    unknownKeys: 'rejected',
    thinking: 'reasoning_effort',
    contentParts: ['text', 'image_url', 'file', 'refusal'],
  },
});
