import type { Lock, ProtocolId } from '@bough/core';
import { BoughError } from '@bough/core';
import type { Deployment, ModelInfo } from '@bough/providers';
import { anthropicDeployment, geminiDeployment, openaiDeployment, openaiResponsesDeployment } from '@bough/providers';
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

/** By the AI SDK's names, one by one: the list of all deployments would bring every vendor into a page's bundle. */
const DEPLOYMENTS: Readonly<Record<string, Deployment>> = {
  'anthropic.messages': anthropicDeployment,
  'openai.responses': openaiResponsesDeployment,
  'openai.chat': openaiDeployment,
  'google.generative-ai': geminiDeployment,
};

/** Where the AI SDK keeps the options and the metadata of a protocol's providers. */
export const NAMESPACES: Readonly<Record<ProtocolId, Namespace>> = {
  'anthropic-messages': 'anthropic',
  'openai-responses': 'openai',
  'openai-chat': 'openai',
  gemini: 'google',
};

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
  const found = Object.hasOwn(DEPLOYMENTS, provider) ? DEPLOYMENTS[provider] : undefined;
  if (found === undefined) throw new UnknownModelProviderError(provider);
  return found;
}
