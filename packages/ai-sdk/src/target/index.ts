import type { Lock, ProtocolId } from '@bough/core';
import { BoughError } from '@bough/core';
import type { Deployment, ModelInfo } from '@bough/providers';
import { BUILT_IN_DEPLOYMENTS, simulatedDeployments } from '@bough/providers';
import type { Namespace } from '../metadata/index.ts';

/** A language model of the AI SDK, as far as it identifies itself. */
export interface ModelIdentity {
  readonly provider: string;
  readonly modelId: string;
}

export interface TargetOptions {
  /** Needed for a provider of the AI SDK that Bough does not know by name (a compatible server). */
  readonly deployment?: Deployment;
  /**
   * Names the server if it is not the provider's own. Signatures belong to their server: without a name, replies of a
   * proxy and of the provider itself count as one issuer's.
   */
  readonly endpoint?: string;
}

/** The model that is called. */
export interface Target {
  readonly lock: Lock;
  readonly deployment: Deployment;
  readonly protocol: ProtocolId;
  readonly model: ModelInfo;
  /** Where the AI SDK keeps this provider's options and metadata. */
  readonly namespace: Namespace;
}

export class UnknownModelProviderError extends BoughError {
  constructor(provider: string) {
    super(
      'unknown_model_provider',
      `Bough does not know the AI SDK provider "${provider}". Pass the deployment whose rules it follows as \`deployment\`.`,
    );
  }
}

const DEPLOYMENTS: Readonly<Record<string, string>> = {
  'anthropic.messages': 'anthropic',
  'openai.responses': 'openai_responses',
  'openai.chat': 'openai',
  'google.generative-ai': 'gemini',
};

const NAMESPACES: Readonly<Record<ProtocolId, Namespace>> = {
  'anthropic-messages': 'anthropic',
  'openai-responses': 'openai',
  'openai-chat': 'openai',
  gemini: 'google',
};

const PROTOCOLS: ReadonlyMap<string, ProtocolId> = new Map(
  [...BUILT_IN_DEPLOYMENTS, ...simulatedDeployments('')].map(({ id, protocol }) => [id, protocol]),
);

/**
 * Where the AI SDK keeps the signatures of one of Bough's providers. An unknown one is treated like Claude, whose
 * blocks Bough's resemble.
 */
export function namespaceOfProvider(provider: string | null): Namespace {
  const protocol = PROTOCOLS.get(provider?.replace(/@.*$/s, '') ?? '');
  return protocol === undefined ? 'anthropic' : NAMESPACES[protocol];
}

export function targetOf({ provider, modelId }: ModelIdentity, options: TargetOptions = {}): Target {
  const deployment = options.deployment ?? deploymentOf(provider);
  const at = options.endpoint === undefined ? '' : `@${options.endpoint}`;
  return {
    lock: { provider: `${deployment.id}${at}`, model: modelId },
    deployment,
    protocol: deployment.protocol,
    model: deployment.modelInfo(modelId),
    namespace: NAMESPACES[deployment.protocol],
  };
}

function deploymentOf(provider: string): Deployment {
  const id = Object.hasOwn(DEPLOYMENTS, provider) ? DEPLOYMENTS[provider] : undefined;
  const found = BUILT_IN_DEPLOYMENTS.find((deployment) => deployment.id === id);
  if (found === undefined) throw new UnknownModelProviderError(provider);
  return found;
}
