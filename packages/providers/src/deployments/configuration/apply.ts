import type { ProtocolId } from '@bough/core';
import type { Deployment } from '../../deployment.ts';
import { modelLookup, unknownModel } from '../../models/lookup.ts';
import type { ModelInfo } from '../../models/model.ts';
import { InvalidQuirkError, parseQuirks } from '../../protocols/openai-chat/quirks.ts';
import type { ModelConfig, ProviderConfig } from './index.ts';
import { ConfigurationError } from './index.ts';

/** A built-in deployment with what the configuration changes. Its id stays, so that branches stay locked to it. */
export function overrideDeployment(built: Deployment, config: ProviderConfig): Deployment {
  const key = `providers.${built.id}`;
  if (config.protocol !== undefined && config.protocol !== built.protocol) {
    throw new ConfigurationError(
      `${key}.protocol`,
      `${built.id} speaks ${built.protocol}; choose another id for this server.`,
    );
  }
  const quirks = { ...built.quirks, ...readQuirks(built.protocol, config, key) };
  const added = (config.models ?? []).map((model) => configuredModel(model, built.modelInfo(model.id), quirks));
  const names = new Set(added.map((model) => model.id));
  const models = [...added, ...built.models.filter((model) => !names.has(model.id))];
  return {
    ...built,
    ...(config.label === undefined ? {} : { label: config.label }),
    ...(config.baseUrl === undefined ? {} : { baseUrl: config.baseUrl }),
    ...(config.apiKeyEnv === undefined ? {} : { keyEnv: [config.apiKeyEnv] }),
    headers: { ...built.headers, ...config.headers },
    models,
    defaultModel: config.defaultModel ?? built.defaultModel,
    modelInfo: added.length === 0 ? built.modelInfo : modelLookup(added, built.modelInfo),
    quirks,
  };
}

/** A deployment that only the configuration knows. */
export function configuredDeployment(id: string, config: ProviderConfig): Deployment {
  const key = `providers.${id}`;
  const protocol = config.protocol ?? 'openai-chat';
  if (config.baseUrl === undefined) throw new ConfigurationError(`${key}.baseUrl`, 'is missing.');
  const quirks = readQuirks(protocol, config, key);
  const models = (config.models ?? []).map((model) => configuredModel(model, unknownModel(model.id), quirks));
  const defaultModel = config.defaultModel ?? models[0]?.id;
  if (defaultModel === undefined) throw new ConfigurationError(`${key}.models`, 'must name at least one model.');
  return {
    id,
    label: config.label ?? id,
    protocol,
    baseUrl: config.baseUrl,
    keyEnv: config.apiKeyEnv === undefined ? [] : [config.apiKeyEnv],
    baseUrlEnv: [],
    keyOptional: config.apiKeyEnv === undefined,
    authHeaders: AUTH_HEADERS[protocol],
    headers: { ...DEFAULT_HEADERS[protocol], ...config.headers },
    models,
    defaultModel,
    modelInfo: modelLookup(models, (model) => configuredModel({ id: model }, unknownModel(model), quirks)),
    quirks,
  };
}

const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });

const AUTH_HEADERS: Readonly<Record<ProtocolId, Deployment['authHeaders']>> = {
  'anthropic-messages': (key) => ({ 'x-api-key': key }),
  'openai-responses': bearer,
  'openai-chat': bearer,
  gemini: (key) => ({ 'x-goog-api-key': key }),
};

const DEFAULT_HEADERS: Readonly<Partial<Record<ProtocolId, Readonly<Record<string, string>>>>> = {
  'anthropic-messages': { 'anthropic-version': '2023-06-01' },
};

function configuredModel(config: ModelConfig, base: ModelInfo, quirks: Deployment['quirks']): ModelInfo {
  // A server that is said to take reasoning back serves models that reason.
  const reasons = quirks['reasoning'] !== undefined && quirks['reasoning'] !== 'none';
  const thinks = base.known || !reasons ? {} : ({ canThink: true, reasoning: 'full' } as const);
  const limitsGiven = config.contextWindow !== undefined && config.maxOutputTokens !== undefined;
  return { ...base, ...thinks, ...config, known: base.known || limitsGiven };
}

function readQuirks(protocol: ProtocolId, config: ProviderConfig, key: string): Deployment['quirks'] {
  if (config.quirks === undefined || protocol !== 'openai-chat') return config.quirks ?? {};
  try {
    return { ...parseQuirks(config.quirks) };
  } catch (error) {
    if (error instanceof InvalidQuirkError) throw new ConfigurationError(`${key}.quirks`, error.message);
    throw error;
  }
}
