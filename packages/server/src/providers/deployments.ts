import type { DeploymentRegistry } from '@bough/providers';
import { createDeployments } from '@bough/providers';
import { NO_KEY } from '@bough/gateway';
import type { Config, EnvironmentVariables } from '../config/index.ts';
import { SettingError } from '../config/index.ts';

/** Stands in for the simulator while only ids and settings are read: nothing is called there. */
const NOBODY = 'http://127.0.0.1:9';

/**
 * The deployments in the settings. A default that no deployment serves is refused now, with its key, not at the first
 * message.
 */
export function deploymentsOf(
  { file, filePath, page }: Pick<Config, 'file' | 'filePath' | 'page'>,
  env: EnvironmentVariables,
  simulatorUrl: string = NOBODY,
): DeploymentRegistry {
  // Where both have an entry, the user's own file decides.
  const providers = { ...page.providers, ...file.providers };
  const registry = createDeployments({ env: withoutGateways(env), providers, simulatorUrl });
  const wanted = file.defaults?.provider;
  if (wanted !== undefined && !registry.all.some(({ id }) => id === wanted)) {
    const known = registry.all.map(({ id }) => id).join(', ');
    throw new SettingError(`${filePath}: defaults.provider`, `there is no provider "${wanted}". Known: ${known}.`);
  }
  return registry;
}

const GATEWAY = /^https?:\/\/[^/]+\/gateway(?:\/|$)/;

/**
 * People point their clients at a gateway with the same variables that name the vendors to Bough. In such a shell the
 * gateway would be told to ask itself: what was meant for clients does not count. (A gateway behind this one can be set
 * in the configuration file.)
 */
function withoutGateways(env: EnvironmentVariables): EnvironmentVariables {
  const isForClients = (value: string | undefined): boolean => value === NO_KEY || GATEWAY.test(value ?? '');
  return Object.fromEntries(Object.entries(env).filter(([, value]) => !isForClients(value?.trim())));
}

export function isSimulated(id: string): boolean {
  return id === 'simulated' || id.startsWith('simulated_');
}
