import { CONNECTABLE } from '@bough/api';
import { join } from 'node:path';
import type { Environment, KnownClient } from './client.ts';
import { addressOf, isSet, NO_KEY, TOKEN_HEADER } from './client.ts';

export const claudeCode: KnownClient = {
  ...CONNECTABLE.claudeCode,
  speaks: { 'anthropic-messages': 'anthropic' },
  setup: (target, { env, fileExists }) => {
    const hasOwn = !target.usesBoughsKey && (hasKey(env) || isLoggedIn(env, fileExists));
    const before = isSet(env['ANTHROPIC_CUSTOM_HEADERS']) ? `${env['ANTHROPIC_CUSTOM_HEADERS']}\n` : '';
    return {
      env: {
        ANTHROPIC_BASE_URL: addressOf(target, 'anthropic-messages', 'anthropic'),
        // A bearer: with a key in the other variable the client asks whether to use it.
        ...(hasOwn ? {} : { ANTHROPIC_AUTH_TOKEN: NO_KEY, ANTHROPIC_API_KEY: undefined }),
        ...(target.token === null ? {} : { ANTHROPIC_CUSTOM_HEADERS: `${before}${TOKEN_HEADER}: ${target.token}` }),
      },
      words: [],
    };
  },
};

function hasKey(env: Environment): boolean {
  return isSet(env['ANTHROPIC_API_KEY']) || isSet(env['ANTHROPIC_AUTH_TOKEN']) || isSet(env['CLAUDE_CODE_OAUTH_TOKEN']);
}

/** A token in the environment would take the place of the login. */
function isLoggedIn(env: Environment, fileExists: (path: string) => boolean): boolean {
  const directory = env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? '', '.claude');
  return fileExists(join(directory, '.credentials.json'));
}
