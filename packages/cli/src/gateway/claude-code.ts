import { CONNECTABLE } from '@bough/api';
import { join } from 'node:path';
import type { Environment, KnownClient, Place } from './client.ts';
import { addressOf, inHome, isSet, NO_KEY, objectAt, TOKEN_HEADER } from './client.ts';

export const claudeCode: KnownClient = {
  ...CONNECTABLE.claudeCode,
  speaks: { 'anthropic-messages': 'anthropic' },
  setup: (target, place) => {
    const { env } = place;
    const hasOwn = !target.usesBoughsKey && (hasKey(env) || isLoggedIn(place));
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

/**
 * A token in the environment would take the place of the login. On macOS the login itself lies in the keychain, and the
 * client's own file only says whose it is.
 */
function isLoggedIn(place: Place): boolean {
  const chosen = place.env['CLAUDE_CONFIG_DIR'];
  const directory = chosen ?? inHome(place, '.claude');
  if (place.fileExists(join(directory, '.credentials.json'))) return true;
  const known = objectAt(place, chosen === undefined ? inHome(place, '.claude.json') : join(chosen, '.claude.json'));
  const settings = objectAt(place, join(directory, 'settings.json'));
  return [known['oauthAccount'], known['primaryApiKey'], settings['apiKeyHelper']].some(
    (each) => each !== undefined && each !== null,
  );
}
