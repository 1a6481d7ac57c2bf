import type { DeploymentRegistry } from '@bough/providers';
import { createDeployments } from '@bough/providers';
import type { Config, EnvironmentVariables } from '../config/index.ts';
import { SettingError } from '../config/index.ts';

/** Stands in for the simulator while only ids and settings are read: nothing is called there. */
const NOBODY = 'http://127.0.0.1:9';

/**
 * The deployments in the settings. A default that no deployment serves is refused now, with its key, not at the first
 * message.
 */
export function deploymentsOf(
  { file, filePath }: Pick<Config, 'file' | 'filePath'>,
  env: EnvironmentVariables,
  simulatorUrl: string = NOBODY,
): DeploymentRegistry {
  const registry = createDeployments({ env, providers: file.providers, simulatorUrl });
  const wanted = file.defaults?.provider;
  if (wanted !== undefined && !registry.all.some(({ id }) => id === wanted)) {
    const known = registry.all.map(({ id }) => id).join(', ');
    throw new SettingError(`${filePath}: defaults.provider`, `there is no provider "${wanted}". Known: ${known}.`);
  }
  return registry;
}
