import type { Deployment } from '../deployment.ts';
import type { ModelGuess } from '../protocols/openai-chat/deployment.ts';
import { chatDeployment, family } from '../protocols/openai-chat/deployment.ts';

/** Models without reasoning refuse thinking parts in their history. */
const plain = { traits: { takesReasoning: false, efforts: [] } } as const;

export const mistral: Deployment = chatDeployment({
  id: 'mistral',
  label: 'Mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  keyEnv: ['MISTRAL_API_KEY'],
  baseUrlEnv: ['MISTRAL_BASE_URL'],
  models: [
    {
      id: 'mistral-medium-2604',
      label: 'Mistral Medium 3.5',
      canSee: true,
      contextWindow: 256_000,
      maxOutputTokens: 65_536,
      thinks: 'on_request',
    },
    {
      id: 'mistral-small-latest',
      label: 'Mistral Small 4',
      canSee: true,
      contextWindow: 256_000,
      maxOutputTokens: 65_536,
      thinks: 'on_request',
    },
    {
      id: 'magistral-medium-latest',
      label: 'Magistral Medium',
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
      thinks: 'always',
      traits: { efforts: [] },
    },
    {
      id: 'mistral-large-latest',
      label: 'Mistral Large 3',
      canSee: true,
      contextWindow: 262_144,
      maxOutputTokens: 65_536,
      ...plain,
    },
    {
      id: 'ministral-8b-latest',
      label: 'Ministral 8B',
      contextWindow: 128_000,
      maxOutputTokens: 32_768,
      ...plain,
    },
  ],
  defaultModel: 'mistral-small-latest',
  unknown: { contextWindow: 128_000, maxOutputTokens: 16_384, traits: { takesReasoning: false } },
  family: familyOf,
  quirks: {
    dialect: 'mistral',
    reasoning: 'thinking_chunks',
    tokens: 'max_tokens',
    streamUsage: false,
    toolIds: 'alnum9',
    roleOrder: 'mistral',
    lastMessage: 'not_assistant',
    toolOnlyContent: 'empty',
    unknownKeys: 'rejected',
    thinking: 'reasoning_effort',
    efforts: ['none', 'high'],
  },
});

/** Magistral always reasons and takes its own thinking back; Small since 4 and Medium since 3.5 reason if asked. */
function familyOf(id: string): ModelGuess | null {
  if (id.startsWith('magistral-')) return family('Magistral', 'always', { traits: { efforts: [] } });
  const [, name, date] = /^mistral-(small|medium)-(\d{4}|latest)$/.exec(id) ?? [];
  if (name === undefined || (date !== 'latest' && Number(date) < (name === 'small' ? 2603 : 2604))) return null;
  return family(`Mistral ${name}`, 'on_request', { traits: {} });
}
