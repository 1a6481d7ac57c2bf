import type { Envelope, EnvelopeRequest, ProviderTool } from '@bough/core';
import { BoughError, providerToolsSetting } from '@bough/core';
import type { SecretOf } from '@bough/providers';
import { chooseProviderTools } from '@bough/providers';
import { RequestError } from '../admit/errors.ts';
import type { Environment } from '../environment.ts';
import type { ModelNotice } from './model.ts';

export interface CheckedEnvelope {
  readonly envelope: Envelope;
  /** What was switched on before and is not offered any more. */
  readonly notices: readonly ModelNotice[];
}

/**
 * What the provider runs itself, as far as the model offers it. What somebody asks for must work: it would be refused
 * at the first message. What is inherited from a branch with another model is left out, and told.
 */
export function withProviderTools(
  env: Environment,
  envelope: Envelope,
  requested: Pick<EnvelopeRequest, 'providerTools'>,
): CheckedEnvelope {
  const { providerTools: wanted = [], ...others } = envelope;
  if (wanted.length === 0) return { envelope, notices: [] };
  const { deployment, modelInfo, secretOf } = env.providers.get(envelope.provider);
  const { kept, refused } = chooseProviderTools(deployment, modelInfo(envelope.model), wanted, envelope.tools);
  const [first] = refused;
  if (requested.providerTools !== undefined) checkSecrets(kept, secretOf);
  if (first === undefined) return { envelope, notices: [] };
  if (requested.providerTools !== undefined) throw new RequestError('provider_tool_not_offered', first.message);
  const { provider, model } = envelope;
  return {
    envelope: { ...others, ...providerToolsSetting(kept) },
    notices: refused.map(({ tool, message }) => ({
      code: 'provider_tool_left_out',
      provider,
      model,
      assumed: [],
      problem: null,
      message: `${tool} is switched off here: ${message}`,
    })),
  };
}

/** Before anything is stored: what somebody wrote here may be the secret itself. */
export function checkSecrets(tools: readonly ProviderTool[], secretOf: SecretOf): void {
  for (const { settings: { authorization, serverUrl = '' } = {} } of tools) {
    const found = authorization === undefined ? null : secretOf(authorization, serverUrl);
    if (found !== null && 'problem' in found) throw new RequestError('secret_missing', found.problem);
  }
}

/** A tool that a branch has switched on is not offered any more: the configuration or the catalogue changed. */
export class ProviderToolError extends BoughError {
  constructor(message: string) {
    super('provider_tool_not_offered', `${message} Switch it off on this branch.`);
  }
}

/** The tools of an envelope, for a request. */
export function providerToolsOf(env: Environment, envelope: Envelope): Pick<Envelope, 'providerTools'> {
  const { providerTools = [], provider, model, tools } = envelope;
  if (providerTools.length === 0) return {};
  const { deployment, modelInfo } = env.providers.get(provider);
  const { kept, refused } = chooseProviderTools(deployment, modelInfo(model), providerTools, tools);
  const [first] = refused;
  if (first !== undefined) throw new ProviderToolError(first.message);
  return { providerTools: kept };
}
