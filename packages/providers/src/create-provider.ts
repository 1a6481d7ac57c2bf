import type { Deployment } from './deployment.ts';
import { deploymentKey } from './deployment.ts';
import { describeModel, isCatalogued } from './models/describe.ts';
import { findListed, isMissing, nearMatches } from './models/list/find.ts';
import type { ModelLists } from './models/list/index.ts';
import type { RenderInput } from './protocol.ts';
import type { FoundModel, KeyProblem, Provider, ProviderInput } from './provider.ts';
import { protocolById } from './protocols/index.ts';
import type { TransportOptions } from './transport/index.ts';
import { send } from './transport/index.ts';
import { settingsOf } from './transport/options.ts';

/** A list that is older than this is read again before a model is called missing, and a failed attempt is repeated. */
const SOON_MS = 30_000;

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
  const owner = { deployment, key, fetch: settings.fetch };
  const describe = (model: string) => {
    const list = lists?.now(owner) ?? null;
    return describeModel(deployment, model, list === null ? undefined : findListed(list, model));
  };
  const modelInfo: Provider['modelInfo'] = (model) => describe(model).info;
  const whole = ({ model, ...input }: ProviderInput): RenderInput => ({
    ...input,
    deployment,
    model: modelInfo(model),
  });
  return {
    deployment,
    keyProblem,
    issuer: (model) => ({ provider: deployment.id, deployment: deploymentKey(deployment), model }),
    modelInfo,
    findModel: async (model, purpose): Promise<FoundModel> => {
      const base = deployment.modelInfo(model);
      const isStated = deployment.stated?.has(model) === true;
      const found = (existence: FoundModel['existence'], more: Partial<FoundModel> = {}): FoundModel => ({
        description: describe(model),
        existence,
        near: [],
        problem: null,
        ...more,
      });
      if (isCatalogued(base)) return found('known');
      if (lists === undefined || keyProblem !== null) {
        return found(isStated ? 'known' : 'unasked', { problem: keyProblem?.message ?? null });
      }
      const isBranching = purpose === 'branching';
      let { list, problem } = await lists.ask(owner, isBranching ? { retryMs: SOON_MS } : {});
      // A model that came out after the list was read is not a mistake.
      if (isBranching && list !== null && isMissing(list, model)) {
        ({ list, problem } = await lists.ask(owner, { retryMs: SOON_MS, notOlderThanMs: SOON_MS }));
      }
      if (isStated) return found('known');
      if (list === null) return found('unasked', { problem });
      if (findListed(list, model) !== undefined) return found('listed');
      if (!isMissing(list, model)) return found('unasked');
      const names = [...list.models.keys(), ...deployment.models.map(({ id }) => id)];
      return found('missing', { near: nearMatches(names, model) });
    },
    renderingKeys: protocol.renderingKeys(deployment),
    prepare: (input) => protocol.prepare(whole(input)),
    send: (request, { signal }) => send({ request, deployment, protocol, key, keyProblem, signal, settings }),
  };
}

export function missingKey({ label, keyEnv }: Pick<Deployment, 'label' | 'keyEnv'>): KeyProblem {
  const advice = keyEnv.length === 0 ? 'Store' : `Set ${keyEnv.join(' or ')}, or store`;
  return {
    code: 'provider_not_ready',
    message: `${label} needs a key. ${advice} one in the settings; the simulated provider needs none.`,
  };
}
