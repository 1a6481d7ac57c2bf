import { bearer } from '../auth/index.ts';
import type { Deployment } from '../deployment.ts';
import { OPENAI_RESPONSES_MODELS, openaiResponsesModelInfo } from '../protocols/openai-responses/models.ts';
import { openaiFiles } from '../protocols/openai-responses/request/index.ts';

export const openaiResponsesDeployment: Deployment = {
  id: 'openai_responses',
  label: 'OpenAI (Responses)',
  protocol: 'openai-responses',
  baseUrl: 'https://api.openai.com/v1',
  keyEnv: ['OPENAI_API_KEY'],
  baseUrlEnv: ['OPENAI_BASE_URL'],
  keyOptional: false,
  authorize: bearer,
  headers: {},
  models: OPENAI_RESPONSES_MODELS,
  defaultModel: 'gpt-6.1-sol',
  modelInfo: openaiResponsesModelInfo,
  providerTools: ['web_search', 'code_execution', 'file_search', 'image_generation', 'remote_mcp'],
  filesApi: openaiFiles,
  // Nothing is left at the provider, and every request carries the whole context. To continue from
  // `previous_response_id` instead, set `storeResponses`.
  quirks: {
    dialect: 'openai',
    storeResponses: false,
    sharesReasoning: true,
    summaries: true,
    encryptsByDefault: true,
    promptCacheKey: true,
    cacheDiagnostics: true,
  },
};
