import { CONNECTABLE, OPENCODE_PROVIDERS } from '@bough/api';
import { isPlainObject } from '@bough/core';
import { join } from 'node:path';
import type { Environment, KnownClient } from './client.ts';
import { addressOf, isSet, NO_KEY, TOKEN_HEADER } from './client.ts';

export const opencode: KnownClient = {
  ...CONNECTABLE.opencode,
  speaks: Object.fromEntries(OPENCODE_PROVIDERS.map(({ protocol, id }) => [protocol, id])),
  setup: (target, { env, fileExists }) => {
    const data = env['XDG_DATA_HOME'] ?? join(env['HOME'] ?? '', '.local', 'share');
    const isLoggedIn = fileExists(join(data, 'opencode', 'auth.json'));
    const provider = Object.fromEntries(
      OPENCODE_PROVIDERS.map(({ protocol, name, id: usual, version, key: variable }) => {
        const hasOwn = !target.usesBoughsKey && (isSet(env[variable]) || isLoggedIn);
        const options = {
          baseURL: `${addressOf(target, protocol, usual)}${version}`,
          ...(hasOwn ? {} : { apiKey: NO_KEY }),
          ...(target.token === null ? {} : { headers: { [TOKEN_HEADER]: target.token } }),
        };
        return [name, { options }];
      }),
    );
    const before = contentOf(env);
    const others = isPlainObject(before['provider']) ? before['provider'] : {};
    return {
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...before, provider: { ...others, ...provider } }) },
      words: [],
    };
  },
};

/** What the person gives the client in the same way. */
function contentOf(env: Environment): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '{}');
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}
