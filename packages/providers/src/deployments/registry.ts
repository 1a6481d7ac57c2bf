import { BoughError } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import { configuredDeployment, overrideDeployment } from './configuration/apply.ts';
import { readBaseUrl, readProviderConfigs } from './configuration/index.ts';

/** Every deployment that can be chosen, and the source of its key. */
export interface DeploymentRegistry {
  readonly all: readonly Deployment[];
  /** Throws UnknownProviderError: an unknown provider is never replaced by another one. */
  readonly byId: (id: string) => Deployment;
  /** The key of a deployment from the environment, or null. */
  readonly keyOf: (deployment: Deployment) => string | null;
  /** The environment variable that holds it, or null if none is set. */
  readonly keyVariableOf: (deployment: Deployment) => string | null;
}

export interface RegistrySources {
  readonly builtIn: readonly Deployment[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The `providers` section of `bough.config.json`, as parsed. */
  readonly providers?: unknown;
}

export class UnknownProviderError extends BoughError {
  constructor(id: string, known: readonly string[]) {
    super(
      'unknown_provider',
      `There is no provider "${id}". Known: ${known.join(', ')}. Others can be added under "providers" in bough.config.json.`,
    );
  }
}

/** Built-in deployments, changed and extended by the file, then by the environment, which has the last word. */
export function createRegistry({ builtIn, env, providers }: RegistrySources): DeploymentRegistry {
  const configs = new Map(readProviderConfigs(providers));
  const known = builtIn.map((deployment) => {
    const config = configs.get(deployment.id);
    configs.delete(deployment.id);
    return config === undefined ? deployment : overrideDeployment(deployment, config);
  });
  const added = [...configs].map(([id, config]) => configuredDeployment(id, config));
  const all = [...known, ...added].map((deployment) => withEnvironment(deployment, env));
  const byId = new Map(all.map((deployment) => [deployment.id, deployment]));
  return {
    all,
    byId: (id) => {
      const deployment = byId.get(id);
      if (deployment === undefined) throw new UnknownProviderError(id, [...byId.keys()]);
      return deployment;
    },
    keyOf: (deployment) => firstSet(deployment.keyEnv, env)?.value ?? null,
    keyVariableOf: (deployment) => firstSet(deployment.keyEnv, env)?.name ?? null,
  };
}

function withEnvironment(deployment: Deployment, env: RegistrySources['env']): Deployment {
  const set = firstSet(deployment.baseUrlEnv, env);
  return set === null ? deployment : { ...deployment, baseUrl: readBaseUrl(set.value, set.name) };
}

/** An empty variable counts as unset: that is how people turn one off. */
function firstSet(
  names: readonly string[],
  env: RegistrySources['env'],
): { readonly name: string; readonly value: string } | null {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') return { name, value };
  }
  return null;
}
