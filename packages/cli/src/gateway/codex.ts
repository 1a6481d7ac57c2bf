import { CODEX_KEY_VARIABLE, CODEX_TOKEN_VARIABLE, codexSettings, CONNECTABLE } from '@bough/api';
import { join } from 'node:path';
import type { KnownClient, Place } from './client.ts';
import { addressOf, inHome, isSet, NO_KEY, objectAt } from './client.ts';

/**
 * A provider of its own, given as flags: the client's configuration file stays as it is, and the built-in provider's
 * attempts at WebSockets are not made.
 */
export const codex: KnownClient = {
  ...CONNECTABLE.codex,
  speaks: { 'openai-responses': 'openai_responses' },
  setup: (target, place) => {
    const own = target.usesBoughsKey ? undefined : keyOf(place);
    const baseUrl = `${addressOf(target, 'openai-responses', 'openai_responses')}/v1`;
    return {
      env: {
        [CODEX_KEY_VARIABLE]: own ?? NO_KEY,
        ...(target.token === null ? {} : { [CODEX_TOKEN_VARIABLE]: target.token }),
      },
      words: codexSettings(baseUrl, target.token !== null).flatMap((setting) => ['-c', setting]),
    };
  },
};

/** Its own provider would find a key that it was given with `codex login`; ours is told it. */
function keyOf(place: Place): string | undefined {
  const key = place.env['OPENAI_API_KEY'];
  if (isSet(key)) return key;
  const stored = objectAt(place, join(place.env['CODEX_HOME'] ?? inHome(place, '.codex'), 'auth.json'))[
    'OPENAI_API_KEY'
  ];
  return typeof stored === 'string' && isSet(stored) ? stored : undefined;
}
