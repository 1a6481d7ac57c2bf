import type { ProviderSet } from '@bough/engine';
import type { Deployment, DeploymentRegistry, KeyProblem, Price, Provider, SecretOf } from '@bough/providers';
import { createModelLists, createProvider, isSecretHeader, readBaseUrl } from '@bough/providers';
import { createNodeWire, createPublicFetch, isPrivateHost } from '@bough/providers/node';
import type { StoredSettings } from '../keys/index.ts';
import { HttpProblem } from '../problem.ts';
import { isSimulated } from './deployments.ts';

export type KeySource = 'environment' | 'stored' | 'none' | 'not_needed' | 'other_address' | 'unreadable';

export interface LiveProviders extends ProviderSet {
  readonly keySourceOf: (id: string) => KeySource;
  /** The environment variable that holds its key, or that would be read for it. */
  readonly keyVariableOf: (id: string) => string | null;
  readonly isSimulated: (id: string) => boolean;
  /** What a model costs today; undefined where that is not known, or where the provider is gone. */
  readonly priceOf: (id: string, model: string) => Price | undefined;
  /** Stores a key for the provider's current address. */
  readonly setKey: (id: string, key: string) => void;
  /** Refuses what is not an address, and what the API alone must not open. */
  readonly setBaseUrl: (id: string, baseUrl: string | null) => void;
}

/**
 * The deployments with their keys. A key or an address set at run time applies from the next request on; the
 * environment takes precedence. Anybody who may call the API may set addresses: so a key is sent only to the address
 * that it was given for, and an address that was not configured must be on the open internet.
 */
export function createProviderSet(
  registry: () => DeploymentRegistry,
  settings: StoredSettings,
  configured: { readonly provider: string; readonly model?: string | undefined } | undefined,
  secretOf?: SecretOf,
): LiveProviders {
  const fetchPublic = createPublicFetch();
  const wire = createNodeWire();
  const lists = createModelLists();
  let origins: { readonly of: DeploymentRegistry; readonly all: ReadonlySet<string> } | null = null;
  const configuredOrigins = (): ReadonlySet<string> => {
    const now = registry();
    if (origins?.of !== now) origins = { of: now, all: new Set(now.all.map(({ baseUrl }) => originOf(baseUrl))) };
    return origins.all;
  };
  const addressOf = ({ id, baseUrl }: Deployment): string => settings.baseUrlOf(id) ?? baseUrl;
  for (const deployment of registry().all) settings.addressKey(deployment.id, originOf(addressOf(deployment)));

  const keyOf = (deployment: Deployment): { readonly source: KeySource; readonly key: string | null } => {
    const origin = originOf(addressOf(deployment));
    const ofEnvironment = registry().keyOf(deployment);
    if (ofEnvironment !== null && origin === originOf(deployment.baseUrl))
      return { source: 'environment', key: ofEnvironment };
    const stored = settings.keyOf(deployment.id);
    if (stored.state === 'unreadable') return { source: 'unreadable', key: null };
    if (stored.state === 'readable' && stored.origin === origin) return { source: 'stored', key: stored.key };
    if (stored.state === 'readable' || ofEnvironment !== null) return { source: 'other_address', key: null };
    return { source: deployment.keyOptional ? 'not_needed' : 'none', key: null };
  };
  const make = (deployment: Deployment): Provider => {
    const baseUrl = addressOf(deployment);
    const { source, key } = keyOf(deployment);
    const isElsewhere = originOf(baseUrl) !== originOf(deployment.baseUrl);
    return createProvider(
      { ...deployment, baseUrl, headers: isElsewhere ? withoutSecrets(deployment.headers) : deployment.headers },
      {
        key,
        lists,
        keyProblem: keyProblem(source, deployment, baseUrl),
        // Like a key, it goes nowhere but to the address of the configuration.
        ...(isElsewhere || secretOf === undefined ? {} : { secretOf }),
        ...(configuredOrigins().has(originOf(baseUrl)) ? { wire } : { fetch: fetchPublic }),
      },
    );
  };
  const list = (): readonly Provider[] => registry().all.map(make);
  return {
    get: (id) => make(registry().byId(id)),
    priceOf: (id, model) =>
      registry()
        .all.find((deployment) => deployment.id === id)
        ?.modelInfo(model).price,
    list,
    defaults: (chosen) => {
      const stored = chosen ?? settings.defaults();
      // A provider that was removed from the configuration is no reason to refuse new projects.
      const isKnown = registry().all.some(({ id }) => id === stored?.provider);
      const wanted = isKnown && stored !== null ? stored : configured;
      if (wanted !== undefined) {
        const { id, defaultModel } = registry().byId(wanted.provider);
        return { provider: id, model: wanted.model ?? defaultModel };
      }
      // The first that can be called: a real one where a key is set, otherwise the simulated one, which needs none.
      const ready = list().find(
        ({ keyProblem: problem, deployment: { id, keyOptional } }) =>
          problem === null && !isSimulated(id) && !keyOptional,
      );
      const { id, defaultModel } = ready?.deployment ?? registry().byId('simulated');
      return { provider: id, model: defaultModel };
    },
    keySourceOf: (id) => keyOf(registry().byId(id)).source,
    keyVariableOf: (id) => {
      const deployment = registry().byId(id);
      return registry().keyVariableOf(deployment) ?? deployment.keyEnv[0] ?? null;
    },
    isSimulated,
    setKey: (id, key) => settings.setKey(id, key, originOf(addressOf(registry().byId(id)))),
    setBaseUrl: (id, baseUrl) => {
      const deployment = registry().byId(id);
      settings.setBaseUrl(id, baseUrl === null ? null : checkedAddress(baseUrl, deployment, configuredOrigins()));
    },
  };
}

function checkedAddress(given: string, deployment: Deployment, configuredOrigins: ReadonlySet<string>): string {
  const baseUrl = readAddress(given);
  if (isPrivateHost(new URL(baseUrl)) && !configuredOrigins.has(originOf(baseUrl))) {
    const places = [...deployment.baseUrlEnv, `providers.${deployment.id}.baseUrl of the configuration file`];
    throw new HttpProblem(
      422,
      'private_address',
      `This address is on this machine or in a private network. Set it as ${places.join(' or ')}; here only public ones can be.`,
    );
  }
  return baseUrl;
}

function readAddress(given: string): string {
  try {
    return readBaseUrl(given, 'baseUrl');
  } catch (error) {
    const message = error instanceof Error ? error.message : 'baseUrl: is no address.';
    throw new HttpProblem(422, 'invalid_url', message);
  }
}

function keyProblem(source: KeySource, { label, keyEnv }: Deployment, baseUrl: string): KeyProblem | null {
  if (source === 'unreadable')
    return {
      code: 'key_unreadable',
      message: `The stored key of ${label} cannot be read: another key file sealed it. Enter the key again in the settings.`,
    };
  if (source !== 'other_address') return null;
  const names = keyEnv.length === 0 ? 'its key' : `${keyEnv.join(' or ')} and stored keys`;
  return {
    code: 'key_for_other_address',
    message: `${label} was given the address ${originOf(baseUrl)}, and ${names} belong to another one. Enter the key for this address in the settings, or go back to the standard address.`,
  };
}

function withoutSecrets(headers: Deployment['headers']): Deployment['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecretHeader(name)));
}

function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin;
}
