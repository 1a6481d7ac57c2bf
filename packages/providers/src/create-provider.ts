import { checkProvider } from './check/index.ts';
import type { Deployment } from './deployment.ts';
import { deploymentKey } from './deployment.ts';
import { createModelFinder } from './models/find-model.ts';
import type { ModelLists } from './models/list/index.ts';
import type { PreparedRequest, RenderInput } from './protocol.ts';
import type { KeyProblem, Provider, ProviderInput } from './provider.ts';
import { protocolById } from './protocols/index.ts';
import type { TransportOptions } from './transport/index.ts';
import { forward, send } from './transport/index.ts';
import type { SecretOf } from './secrets/index.ts';
import { noSecrets } from './secrets/index.ts';
import { upload } from './transport/upload/index.ts';
import { settingsForClient, settingsOf } from './transport/options.ts';

export interface ProviderOptions extends TransportOptions {
  /** The secret of this deployment, or null if there is none. It is sent in a header and nowhere else. */
  readonly key: string | null;
  /** Why there is no key, if more can be said than that. */
  readonly keyProblem?: KeyProblem | null;
  /** Secrets that servers behind this provider are shown. */
  readonly secretOf?: SecretOf;
  /** The vendors' lists of models, shared by all providers of a process. Without them no vendor is asked. */
  readonly lists?: ModelLists;
}

/** A deployment that can be called. Constructing it has no side effects. */
export function createProvider(deployment: Deployment, options: ProviderOptions): Provider {
  const { key, keyProblem: known = null, lists, secretOf = noSecrets, ...transport } = options;
  const keyProblem = key !== null || deployment.keyOptional ? null : (known ?? missingKey(deployment));
  const settings = settingsOf(transport);
  const protocol = protocolById(deployment.protocol);
  const finder = createModelFinder({ deployment, key, keyProblem, lists, fetch: settings.fetch });
  const whole = ({ model, ...input }: ProviderInput): RenderInput => ({
    ...input,
    deployment,
    model: finder.modelInfo(model),
  });
  const sendWith = (used: typeof settings): Provider['send'] => {
    return (request, { signal, onPause, readBlob, forClient = false }) =>
      send({
        request,
        deployment,
        protocol,
        key,
        keyProblem,
        signal,
        onPause,
        readBlob,
        secretOf,
        settings: forClient ? settingsForClient(used) : used,
      });
  };
  const prepare = (input: ProviderInput): PreparedRequest => {
    const request = protocol.prepare(whole(input));
    const secrets = (input.providerTools ?? []).flatMap(({ settings }) => settings?.authorization ?? []);
    return secrets.length === 0 ? request : { ...request, secrets };
  };
  return {
    deployment,
    keyProblem,
    secretOf,
    issuer: (model) => ({ provider: deployment.id, deployment: deploymentKey(deployment), model }),
    modelInfo: finder.modelInfo,
    findModel: finder.findModel,
    renderingKeys: protocol.renderingKeys(deployment),
    prepare,
    send: sendWith(settings),
    upload:
      deployment.filesApi === undefined
        ? null
        : (file, signal) =>
            upload({ file, deployment, key, fetch: settings.fetch, signal, readError: protocol.readError }),
    forward: (input) => forward(input, { deployment, key, keyProblem, settings }),
    check: () =>
      checkProvider({
        deployment,
        key,
        keyProblem,
        fetch: settings.fetch,
        // A person waits for the verdict: what fails once is told at once.
        provider: { prepare, send: sendWith({ ...settings, retries: 0 }) },
      }),
  };
}

export function missingKey({ label, keyEnv }: Pick<Deployment, 'label' | 'keyEnv'>): KeyProblem {
  const advice = keyEnv.length === 0 ? 'Store' : `Set ${keyEnv.join(' or ')}, or store`;
  return {
    code: 'provider_not_ready',
    message: `${label} needs a key. ${advice} one in the settings; the simulated provider needs none.`,
  };
}
