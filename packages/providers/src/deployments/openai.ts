import type { Deployment } from '../deployment.ts';
import type { ModelGuess } from '../protocols/openai-chat/deployment.ts';
import { chatDeployment, family } from '../protocols/openai-chat/deployment.ts';
import { OPENAI_CHAT_MODELS } from '../protocols/openai-chat/models.ts';
import { openaiFamily } from '../protocols/openai-family.ts';

export const openai: Deployment = chatDeployment({
  id: 'openai',
  label: 'OpenAI (Chat Completions)',
  baseUrl: 'https://api.openai.com/v1',
  keyEnv: ['OPENAI_API_KEY'],
  baseUrlEnv: ['OPENAI_BASE_URL'],
  models: OPENAI_CHAT_MODELS,
  defaultModel: 'gpt-5.1',
  unknown: { contextWindow: 128_000, maxOutputTokens: 16_384 },
  family: familyOf,
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

function familyOf(id: string): ModelGuess | null {
  const found = openaiFamily(id);
  if (found === null) return null;
  const { thinks, efforts, takesSystem, usesTools, sees, toolsNeedNoEffort } = found;
  return family(found.family, thinks, {
    shows: 'none',
    contextWindow: found.window,
    maxOutputTokens: found.output,
    canUseTools: usesTools,
    ...(sees && { canSee: true, canReadPdfs: true }),
    traits: {
      efforts,
      ...(thinks !== 'never' && { sampling: 'rejected' }),
      ...(!takesSystem && { systemRole: 'user' }),
      ...(toolsNeedNoEffort && { toolsNeedNoEffort, thinksByDefault: true }),
    },
  });
}
