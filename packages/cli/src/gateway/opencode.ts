import { CONNECTABLE, OPENCODE_PROVIDERS } from '@bough/api';
import { isPlainObject } from '@bough/core';
import { join } from 'node:path';
import type { KnownClient } from './client.ts';
import { addressOf, inHome, isSet, NO_KEY, objectIn, TOKEN_HEADER } from './client.ts';

export const opencode: KnownClient = {
  ...CONNECTABLE.opencode,
  speaks: Object.fromEntries(OPENCODE_PROVIDERS.map(({ protocol, id }) => [protocol, id])),
  setup: (target, place) => {
    const { env } = place;
    const data = env['XDG_DATA_HOME'] ?? inHome(place, '.local', 'share');
    const isLoggedIn = place.fileExists(join(data, 'opencode', 'auth.json'));
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
    const before = objectIn(env['OPENCODE_CONFIG_CONTENT'] ?? '') ?? {};
    const others = isPlainObject(before['provider']) ? before['provider'] : {};
    return {
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...before, provider: { ...others, ...provider } }) },
      words: [],
    };
  },
};
