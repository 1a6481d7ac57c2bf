import type { Deployment } from './deployment.ts';
import { deploymentKey } from './deployment.ts';
import type { RenderInput } from './protocol.ts';
import type { Provider, ProviderInput } from './provider.ts';
import { protocolById } from './protocols/index.ts';
import type { TransportOptions } from './transport/index.ts';
import { send } from './transport/index.ts';
import { settingsOf } from './transport/options.ts';

export interface ProviderOptions extends TransportOptions {
  /** The secret of this deployment, or null where there is none. It leaves in a header and nowhere else. */
  readonly key: string | null;
}

/** A deployment that can be called. Constructing it touches nothing. */
export function createProvider(deployment: Deployment, options: ProviderOptions): Provider {
  const { key, ...transport } = options;
  const settings = settingsOf(transport);
  const protocol = protocolById(deployment.protocol);
  const whole = ({ model, ...input }: ProviderInput): RenderInput => ({
    ...input,
    deployment,
    model: deployment.modelInfo(model),
  });
  return {
    deployment,
    ready: key !== null || deployment.keyOptional,
    issuer: (model) => ({ provider: deployment.id, deployment: deploymentKey(deployment), model }),
    modelInfo: deployment.modelInfo,
    renderingKeys: protocol.renderingKeys(deployment),
    prepare: (input) => protocol.prepare(whole(input)),
    settle: (input, front) => protocol.settle?.(whole(input), front) ?? null,
    prepareBehind: (input, front) => protocol.prepareBehind?.(whole(input), front) ?? null,
    send: (request, { signal }) => send({ request, deployment, protocol, key, signal, settings }),
  };
}
