import type { SecretOf } from '@bough/providers';
import type { ConfigFile } from '../config/file.ts';
import type { EnvironmentVariables } from '../config/index.ts';

/**
 * The secrets of the configuration, each from its own variable of the environment. One is given out only for the server
 * that it was configured for: anybody who may change a branch may write any address there.
 */
export function createSecrets(configured: ConfigFile['secrets'] = {}, env: EnvironmentVariables): SecretOf {
  const names = Object.keys(configured);
  const known = names.length === 0 ? 'None are configured.' : `Those of the configuration: ${names.join(', ')}.`;
  return (name, url) => {
    const entry = Object.hasOwn(configured, name) ? configured[name] : undefined;
    // The name is not repeated: it may be a token that somebody pasted.
    if (entry === undefined) return { problem: `There is no secret of that name. ${known}` };
    if (!URL.canParse(url) || new URL(url).origin !== new URL(entry.for).origin)
      return { problem: `The secret "${name}" is for ${new URL(entry.for).origin}, and is sent to no other server.` };
    const secret = env[entry.env] ?? '';
    return secret === '' ? { problem: `The variable ${entry.env} of the secret "${name}" is not set.` } : { secret };
  };
}
