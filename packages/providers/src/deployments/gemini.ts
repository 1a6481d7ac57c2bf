import { keyIn } from '../auth/index.ts';
import type { Deployment } from '../deployment.ts';
import { DEFAULT_GEMINI_MODEL, GEMINI_MODELS, geminiModelInfo } from '../protocols/gemini/models.ts';

export const gemini: Deployment = {
  id: 'gemini',
  label: 'Google Gemini',
  protocol: 'gemini',
  // Without the version: the environment variable that people know holds it in this form.
  baseUrl: 'https://generativelanguage.googleapis.com',
  keyEnv: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  baseUrlEnv: ['GOOGLE_GEMINI_BASE_URL'],
  keyOptional: false,
  authorize: keyIn('x-goog-api-key'),
  headers: {},
  models: GEMINI_MODELS,
  defaultModel: DEFAULT_GEMINI_MODEL,
  modelInfo: geminiModelInfo,
  providerTools: ['web_search', 'web_fetch', 'code_execution', 'file_search'],
  // `open-api` for a server that takes tool parameters only in the older form.
  quirks: { toolSchema: 'json-schema' },
};
