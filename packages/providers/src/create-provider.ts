import type { Deployment } from './deployment.ts';
import { deploymentKey } from './deployment.ts';
import { createModelFinder } from './models/find-model.ts';
import type { ModelLists } from './models/list/index.ts';
import type { RenderInput } from './protocol.ts';
import type { KeyProblem, Provider, ProviderInput } from './provider.ts';
import { protocolById } from './protocols/index.ts';
import type { TransportOptions } from './transport/index.ts';
import { send } from './transport/index.ts';
import { settingsOf } from './transport/options.ts';

export interface ProviderOptions extends TransportOptions {
  /** The secret of this deployment, or null if there is none. It is sent in a header and nowhere else. */
  readonly key: string | null;
  /** Why there is no key, if more can be said than that. */
  readonly keyProblem?: KeyProblem | null;
  /** The vendors' lists of models, shared by all providers of a process. Without them no vendor is asked. */
  readonly lists?: ModelLists;
}

/** A deployment that can be called. Constructing it has no side effects. */
export function createProvider(deployment: Deployment, options: ProviderOptions): Provider {
  const { key, keyProblem: known = null, lists, ...transport } = options;
  const keyProblem = key !== null || deployment.keyOptional ? null : (known ?? missingKey(deployment));
  const settings = settingsOf(transport);
  const protocol = protocolById(deployment.protocol);
  const finder = createModelFinder({ deployment, key, keyProblem, lists, fetch: settings.fetch });
  const whole = ({ model, ...input }: ProviderInput): RenderInput => ({
    ...input,
    deployment,
    model: finder.modelInfo(model),
  });
  return {
    deployment,
    keyProblem,
    issuer: (model) => ({ provider: deployment.id, deployment: deploymentKey(deployment), model }),
    modelInfo: finder.modelInfo,
    findModel: finder.findModel,
    renderingKeys: protocol.renderingKeys(deployment),
    prepare: (input) => protocol.prepare(whole(input)),
    send: (request, { signal, onPause }) =>
      send({ request, deployment, protocol, key, keyProblem, signal, onPause, settings }),
  };
}

export function missingKey({ label, keyEnv }: Pick<Deployment, 'label' | 'keyEnv'>): KeyProblem {
  const advice = keyEnv.length === 0 ? 'Store' : `Set ${keyEnv.join(' or ')}, or store`;
  return {
    code: 'provider_not_ready',
    message: `${label} needs a key. ${advice} one in the settings; the simulated provider needs none.`,
  };
}
