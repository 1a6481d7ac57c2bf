import type { Deployment } from '../deployment.ts';
import { chatDeployment, prices } from '../protocols/openai-chat/deployment.ts';

const price = prices('2026-07-01');
const window = { contextWindow: 1_000_000, maxOutputTokens: 30_000 } as const;

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
      price: price(1.25, 2.5, 0.2),
      traits: { efforts: ['none', 'low', 'medium', 'high'], thinksByDefault: true },
    },
    { id: 'grok-4-fast', label: 'Grok 4 Fast', ...window, thinks: 'always', shows: 'none' },
    {
      id: 'grok-4.20-0309-reasoning',
      label: 'Grok 4.20',
      ...window,
      thinks: 'always',
      shows: 'none',
      price: price(1.25, 2.5, 0.2),
    },
    {
      id: 'grok-4.20-0309-non-reasoning',
      label: 'Grok 4.20 without reasoning',
      ...window,
      price: price(1.25, 2.5, 0.2),
    },
  ],
  defaultModel: 'grok-4.3',
  unknown: { contextWindow: 131_072, maxOutputTokens: 16_384 },
  quirks: {
    dialect: 'xai',
    systemPlace: 'anywhere',
    toolOnlyContent: 'omitted',
    thinking: 'reasoning_effort',
    efforts: [],
  },
});
