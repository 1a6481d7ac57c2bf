import type { Authorize } from '../../auth/index.ts';
import { bearer, keyIn } from '../../auth/index.ts';
import type { ProtocolId } from '@bough/core';
import type { Deployment } from '../../deployment.ts';
import { isCatalogued } from '../../models/describe.ts';
import type { ModelFacts } from '../../models/facts.ts';
import { modelLookup, unknownModel } from '../../models/lookup.ts';
import type { ModelInfo } from '../../models/model.ts';
import { chatDeployment } from '../../protocols/openai-chat/deployment.ts';
import { withFacts } from '../../protocols/with-facts.ts';
import { InvalidQuirkError, MissingBlankError, parseQuirks } from '../../protocols/openai-chat/traits.ts';
import type { ModelConfig, ProviderConfig } from './index.ts';
import { ConfigurationError } from './index.ts';

/** A built-in deployment with the changes from the configuration. Its id stays, so branches stay locked to it. */
export function overrideDeployment(built: Deployment, config: ProviderConfig): Deployment {
  const key = `providers.${built.id}`;
  if (config.protocol !== undefined && config.protocol !== built.protocol) {
    throw new ConfigurationError(
      `${key}.protocol`,
      `${built.id} speaks ${built.protocol}; choose another id for this server.`,
    );
  }
  const quirks = { ...built.quirks, ...readQuirks(built.protocol, config, key, built.quirks) };
  const changed = { ...built, quirks };
  const stated = statedModels(changed, config.models ?? [], key);
  const added = configuredModels(changed, stated);
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
    stated,
    quirks,
  };
}

/** A deployment that only the configuration knows. */
export function configuredDeployment(id: string, config: ProviderConfig): Deployment {
  const key = `providers.${id}`;
  const { baseUrl, models = [], protocol = 'openai-chat' } = config;
  if (baseUrl === undefined) throw new ConfigurationError(`${key}.baseUrl`, 'is missing.');
  if (models.length === 0) throw new ConfigurationError(`${key}.models`, 'must name at least one model.');
  const named = { ...config, baseUrl, models };
  const base = protocol === 'openai-chat' ? compatibleServer(id, named, key) : otherServer(id, named, protocol);
  const stated = statedModels(base, models, key);
  const known = configuredModels(base, stated);
  return {
    ...base,
    models: known,
    modelInfo: modelLookup(known, base.modelInfo),
    stated,
    defaultModel: config.defaultModel ?? base.defaultModel,
  };
}

type NamedConfig = ProviderConfig & Required<Pick<ProviderConfig, 'baseUrl' | 'models'>>;

function compatibleServer(id: string, config: NamedConfig, key: string): Deployment {
  const quirks = readQuirks('openai-chat', config, key);
  // A server that says where reasoning goes has models that reason, whether or not they can be asked to.
  const reasons = [quirks['reasoning'], quirks['thinking']].some((form) => form !== undefined && form !== 'none');
  return chatDeployment({
    id,
    label: config.label ?? id,
    baseUrl: config.baseUrl,
    keyEnv: config.apiKeyEnv === undefined ? [] : [config.apiKeyEnv],
    baseUrlEnv: [],
    keyOptional: config.apiKeyEnv === undefined,
    headers: config.headers ?? {},
    models: [],
    defaultModel: config.models[0]?.id ?? '',
    unknown: reasons ? { canThink: true, reasoning: 'full' } : {},
    quirks,
  });
}

function otherServer(id: string, config: NamedConfig, protocol: Exclude<ProtocolId, 'openai-chat'>): Deployment {
  return {
    id,
    label: config.label ?? id,
    protocol,
    baseUrl: config.baseUrl,
    keyEnv: config.apiKeyEnv === undefined ? [] : [config.apiKeyEnv],
    baseUrlEnv: [],
    keyOptional: config.apiKeyEnv === undefined,
    authorize: AUTHORIZE[protocol],
    headers: { ...DEFAULT_HEADERS[protocol], ...config.headers },
    models: [],
    defaultModel: config.models[0]?.id ?? '',
    modelInfo: unknownModel,
    quirks: config.quirks ?? {},
  };
}

const AUTHORIZE: Readonly<Record<Exclude<ProtocolId, 'openai-chat'>, Authorize>> = {
  'anthropic-messages': keyIn('x-api-key'),
  'openai-responses': bearer,
  gemini: keyIn('x-goog-api-key'),
};

const DEFAULT_HEADERS: Readonly<Partial<Record<ProtocolId, Readonly<Record<string, string>>>>> = {
  'anthropic-messages': { 'anthropic-version': '2023-06-01' },
};

/** What the configuration says about each model, in the words that the vendors' lists are read into. */
function statedModels(
  deployment: Deployment,
  models: readonly ModelConfig[],
  key: string,
): ReadonlyMap<string, ModelFacts> {
  return new Map(models.map((model, index) => [model.id, factsOf(deployment, model, `${key}.models.${index}`)]));
}

function factsOf(deployment: Deployment, config: ModelConfig, key: string): ModelFacts {
  const { label, reasoning, price } = config;
  const contextWindow = config.window ?? config.contextWindow;
  const maxOutputTokens = config.maxOutput ?? config.maxOutputTokens;
  const { canThink } = config;
  const flagged = canThink === undefined ? undefined : { when: canThink ? ('thinks' as const) : ('never' as const) };
  const thinking = config.thinking ?? flagged;
  const canUseTools = config.tools ?? config.canUseTools;
  const quirks = { quirks: config.quirks ?? {} };
  if (config.quirks !== undefined && deployment.protocol !== 'openai-chat') {
    throw new ConfigurationError(`${key}.quirks`, 'is only for servers that speak openai-chat.');
  }
  const traits = config.quirks === undefined ? undefined : readQuirks('openai-chat', quirks, key, deployment.quirks);
  return {
    ...(label !== undefined && { label }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(thinking !== undefined && { thinking }),
    ...(config.bound !== undefined && { bindsThinkingToPrefix: config.bound }),
    ...(config.vision !== undefined && { canSee: config.vision }),
    ...(canUseTools !== undefined && { canUseTools }),
    ...(reasoning !== undefined && { reasoning }),
    ...(price !== undefined && { price }),
    ...(traits !== undefined && { traits }),
  };
}

/** A model counts as known once both of its limits are known. */
function configuredModels(deployment: Deployment, stated: ReadonlyMap<string, ModelFacts>): readonly ModelInfo[] {
  return [...stated].map(([id, facts]) => {
    const base = deployment.modelInfo(id);
    const limitsGiven = facts.contextWindow !== undefined && facts.maxOutputTokens !== undefined;
    const configured = isCatalogued(base) ? 'changed' : 'alone';
    return { ...withFacts(deployment, base, facts), known: base.known || limitsGiven, configured };
  });
}

function readQuirks(
  protocol: ProtocolId,
  config: ProviderConfig,
  key: string,
  inherited: Deployment['quirks'] = {},
): Deployment['quirks'] {
  if (config.quirks === undefined || protocol !== 'openai-chat') return config.quirks ?? {};
  try {
    return { ...parseQuirks(config.quirks, inherited) };
  } catch (error) {
    if (error instanceof InvalidQuirkError || error instanceof MissingBlankError)
      throw new ConfigurationError(`${key}.quirks`, error.message);
    throw error;
  }
}
