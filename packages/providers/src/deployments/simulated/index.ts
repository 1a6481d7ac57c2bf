import { bearer } from '../../auth/index.ts';
import type { ProtocolId } from '@bough/core';
import { PROVIDER_TOOL_NAMES } from '@bough/core';
import type { Deployment, FilesApi } from '../../deployment.ts';
import { modelLookup } from '../../models/lookup.ts';
import { anthropicFiles } from '../../protocols/anthropic-messages/request/index.ts';
import { openaiFiles } from '../../protocols/openai-responses/request/index.ts';
import { SIMULATED_MODELS } from './models.ts';

interface Seat {
  readonly id: string;
  readonly label: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly quirks?: Deployment['quirks'];
  readonly filesApi?: FilesApi;
}

const SEATS: Readonly<Record<ProtocolId, Seat>> = {
  'anthropic-messages': {
    id: 'simulated',
    label: 'Simulated',
    path: '',
    headers: { 'anthropic-version': '2023-06-01' },
    quirks: {
      automaticCaching: true,
      cacheDiagnostics: true,
      interleavedThinking: true,
      toolChanges: true,
      summaries: true,
    },
    filesApi: anthropicFiles,
  },
  'openai-responses': {
    id: 'simulated_responses',
    label: 'Simulated (Responses)',
    path: '/v1',
    headers: {},
    quirks: { encryptsByDefault: true, promptCacheKey: true, cacheDiagnostics: true },
    filesApi: openaiFiles,
  },
  'openai-chat': { id: 'simulated_chat', label: 'Simulated (chat)', path: '/v1', headers: {} },
  gemini: { id: 'simulated_gemini', label: 'Simulated (Gemini)', path: '', headers: {} },
};

/**
 * The simulator under one of its protocols. It needs no key, and its signatures survive a restart on another port. A
 * model that it does not list is looked up among the protocol's real models, so that a client may ask for one by name.
 */
export function simulatedDeployment(
  protocol: ProtocolId,
  simulatorUrl: string,
  otherwise?: Deployment['modelInfo'],
): Deployment {
  const { id, label, path, headers, quirks = {}, filesApi } = SEATS[protocol];
  const models = SIMULATED_MODELS[protocol];
  return {
    id,
    label,
    protocol,
    baseUrl: `${simulatorUrl.replace(/\/+$/, '')}${path}`,
    issuerKey: `${id}@simulator`,
    keyEnv: [],
    baseUrlEnv: [],
    keyOptional: true,
    authorize: bearer,
    headers,
    models,
    defaultModel: models[0]?.id ?? '',
    modelInfo: modelLookup(models, otherwise),
    providerTools: PROVIDER_TOOL_NAMES,
    ...(filesApi === undefined ? {} : { filesApi }),
    quirks: protocol === 'openai-responses' ? { ...quirks, sharesReasoning: true } : quirks,
  };
}
