import { keyIn } from '../auth/index.ts';
import type { Deployment } from '../deployment.ts';
import { CLAUDE_MODELS, claudeModelInfo } from '../protocols/anthropic-messages/models.ts';
import { anthropicFiles } from '../protocols/anthropic-messages/request/index.ts';

export const anthropic: Deployment = {
  id: 'anthropic',
  label: 'Anthropic',
  protocol: 'anthropic-messages',
  baseUrl: 'https://api.anthropic.com',
  keyEnv: ['ANTHROPIC_API_KEY'],
  baseUrlEnv: ['ANTHROPIC_BASE_URL'],
  keyOptional: false,
  authorize: keyIn('x-api-key'),
  headers: { 'anthropic-version': '2023-06-01' },
  models: CLAUDE_MODELS,
  defaultModel: 'claude-sonnet-5-5',
  modelInfo: claudeModelInfo,
  providerTools: ['web_search', 'web_fetch', 'code_execution', 'remote_mcp'],
  filesApi: anthropicFiles,
  // The prompt cache breakpoint is next to the messages and never inside them, where it would change their bytes.
  quirks: {
    automaticCaching: true,
    cacheDiagnostics: true,
    interleavedThinking: true,
    toolChanges: true,
    summaries: true,
  },
};
