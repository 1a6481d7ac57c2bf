import type { Deployment } from '../deployment.ts';
import type { ModelGuess } from '../protocols/openai-chat/deployment.ts';
import { chatDeployment, family } from '../protocols/openai-chat/deployment.ts';

/** Kimi takes pictures since K2.5. */
const window = { contextWindow: 262_144, maxOutputTokens: 262_144, canSee: true } as const;
/** Always thinks and always keeps its reasoning: every assistant message must include it. */
const always = { thinks: 'always', traits: { demands: 'always', efforts: [] } } as const;

/** Kimi. Its own client sends an empty `reasoning_content` for a turn without reasoning, and the server takes it. */
export const moonshot: Deployment = chatDeployment({
  id: 'moonshot',
  label: 'Moonshot (Kimi)',
  baseUrl: 'https://api.moonshot.ai/v1',
  keyEnv: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
  baseUrlEnv: ['MOONSHOT_BASE_URL'],
  models: [
    {
      id: 'kimi-k3',
      label: 'Kimi K3',
      ...window,
      thinks: 'always',
      traits: { demands: 'always', efforts: ['low', 'high', 'max'] },
    },
    {
      id: 'kimi-k3.1-pro',
      label: 'Kimi K3.1 Pro',
      ...window,
      thinks: 'always',
      traits: { demands: 'always', efforts: ['low', 'high', 'max'] },
    },
    { id: 'kimi-k2.7-code', label: 'Kimi K2.7 Code', ...window, ...always },
    {
      id: 'kimi-k2.6',
      label: 'Kimi K2.6',
      ...window,
      thinks: 'on_request',
      traits: { demands: 'always', keepsReasoning: 'thinking.keep' },
    },
    { id: 'kimi-k2.5', label: 'Kimi K2.5', ...window, thinks: 'on_request' },
    {
      id: 'kimi-k2-thinking',
      label: 'Kimi K2 Thinking',
      ...window,
      canSee: false,
      thinks: 'always',
      traits: { efforts: [] },
    },
  ],
  defaultModel: 'kimi-k2.6',
  unknown: { contextWindow: 262_144, maxOutputTokens: 32_768, canThink: true, alwaysThinks: true, reasoning: 'full' },
  family: familyOf,
  quirks: {
    dialect: 'moonshot',
    reasoning: 'reasoning_content',
    demands: 'tool_calls',
    blankReasoning: '',
    tokens: 'max_completion_tokens',
    toolOnlyContent: 'empty',
    thinking: 'thinking_type',
    efforts: [],
    thinksByDefault: true,
    sampling: 'rejected',
  },
});

/** The models from before Kimi K2 Thinking neither think nor have reasoning to give back. */
function familyOf(id: string): ModelGuess | null {
  if (/^(?:moonshot-v1|kimi-latest|kimi-k2-\d{4}|kimi-k2-turbo)/.test(id)) {
    return family('Kimi K2', 'never', { traits: { demands: 'never', sampling: 'accepted', thinking: 'none' } });
  }
  return id.startsWith('kimi-') ? { family: 'Kimi' } : null;
}
