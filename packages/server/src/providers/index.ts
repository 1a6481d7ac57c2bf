import type { ProviderSet } from '@bough/engine';
import type { Deployment, DeploymentRegistry, Provider } from '@bough/providers';
import { createProvider } from '@bough/providers';
import type { StoredSettings } from '../keys/index.ts';

export type KeySource = 'environment' | 'stored' | 'none' | 'not_needed';

export interface LiveProviders extends ProviderSet {
  readonly keySourceOf: (id: string) => KeySource;
  readonly isSimulated: (id: string) => boolean;
}

/** The deployments with their keys. A key or an address that is set at run time counts from the next request on; the environment has the last word. */
export function createProviderSet(
  registry: DeploymentRegistry,
  settings: StoredSettings,
  configured: { readonly provider: string; readonly model?: string | undefined } | undefined,
): LiveProviders {
  const keyOf = (deployment: Deployment): string | null => registry.keyOf(deployment) ?? settings.keyOf(deployment.id);
  const make = (deployment: Deployment): Provider => {
    const baseUrl = settings.baseUrlOf(deployment.id);
    return createProvider(baseUrl === null ? deployment : { ...deployment, baseUrl }, { key: keyOf(deployment) });
  };
  const list = (): readonly Provider[] => registry.all.map(make);
  return {
    get: (id) => make(registry.byId(id)),
    list,
    defaults: () => {
      const wanted = settings.defaults() ?? configured;
      // The first that can be called: a real one where a key is set, else the simulated one, which needs none.
      const ready = list().find(
        (provider) => provider.ready && !isSimulated(provider.deployment.id) && !provider.deployment.keyOptional,
      );
      const deployment =
        wanted === undefined ? (ready?.deployment ?? registry.byId('simulated')) : registry.byId(wanted.provider);
      return { provider: deployment.id, model: wanted?.model ?? deployment.defaultModel };
    },
    keySourceOf: (id) => {
      const deployment = registry.byId(id);
      if (registry.keyOf(deployment) !== null) return 'environment';
      if (settings.keyOf(id) !== null) return 'stored';
      return deployment.keyOptional ? 'not_needed' : 'none';
    },
    isSimulated,
  };
}

function isSimulated(id: string): boolean {
  return id === 'simulated' || id.startsWith('simulated_');
}
