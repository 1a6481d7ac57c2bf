import type { Deployment } from '../deployment.ts';
import type { ModelGuess } from '../protocols/openai-chat/deployment.ts';
import { chatDeployment, family } from '../protocols/openai-chat/deployment.ts';

/** Every Grok 4 takes pictures. */
const window = { contextWindow: 1_000_000, maxOutputTokens: 30_000, canSee: true } as const;

/** Reasons, but this API neither shows the reasoning nor takes it back. Most models refuse an effort. */
export const xai: Deployment = chatDeployment({
  id: 'xai',
  label: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  keyEnv: ['XAI_API_KEY'],
  baseUrlEnv: ['XAI_BASE_URL'],
  models: [
    {
      id: 'grok-4.6',
      label: 'Grok 4.6',
      ...window,
      thinks: 'always',
      shows: 'none',
      traits: { efforts: ['low', 'medium', 'high', 'xhigh'] },
    },
    {
      id: 'grok-4.5',
      label: 'Grok 4.5',
      ...window,
      thinks: 'always',
      shows: 'none',
      traits: { efforts: ['low', 'medium', 'high'] },
    },
    {
      id: 'grok-4.3',
      label: 'Grok 4.3',
      ...window,
      thinks: 'on_request',
      shows: 'none',
      traits: { efforts: ['none', 'low', 'medium', 'high'], thinksByDefault: true },
    },
    { id: 'grok-4-fast', label: 'Grok 4 Fast', ...window, thinks: 'always', shows: 'none' },
    {
      id: 'grok-4.20-0309-reasoning',
      label: 'Grok 4.20',
      ...window,
      thinks: 'always',
      shows: 'none',
    },
    {
      id: 'grok-4.20-0309-non-reasoning',
      label: 'Grok 4.20 without reasoning',
      ...window,
    },
  ],
  defaultModel: 'grok-4.3',
  unknown: { contextWindow: 131_072, maxOutputTokens: 16_384 },
  family: familyOf,
  quirks: {
    dialect: 'xai',
    systemPlace: 'anywhere',
    toolOnlyContent: 'omitted',
    thinking: 'reasoning_effort',
    efforts: [],
  },
});

const LOW_TO_HIGH = ['low', 'medium', 'high'];

/** Grok reasons since 4 and takes an effort since 4.3, unless its name says that it does not. */
function familyOf(id: string): ModelGuess | null {
  const version = Number(/^grok-(\d+(?:\.\d+)?)/.exec(id)?.[1]);
  if (/non-reasoning|^grok-[12](?:-|$)/.test(id)) return family('Grok', 'never');
  if (id.startsWith('grok-3-mini'))
    return family('Grok 3 mini', 'always', { shows: 'none', traits: { efforts: ['low', 'high'] } });
  if (Number.isNaN(version)) return id.startsWith('grok-code') ? family('Grok', 'always', { shows: 'none' }) : null;
  if (version < 4) return family('Grok', 'never');
  // `4.20` is a release of version 4 from before efforts.
  const takesEffort = version >= 4.3 && !/reasoning/.test(id);
  return family('Grok', 'always', { shows: 'none', ...(takesEffort && { traits: { efforts: LOW_TO_HIGH } }) });
}
