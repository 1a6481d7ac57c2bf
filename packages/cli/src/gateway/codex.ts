import { CODEX_KEY_VARIABLE, CODEX_TOKEN_VARIABLE, codexSettings, CONNECTABLE } from '@bough/api';
import type { KnownClient } from './client.ts';
import { addressOf, isSet, NO_KEY } from './client.ts';

/**
 * A provider of its own, given as flags: the client's configuration file stays as it is, and the built-in provider's
 * attempts at WebSockets are not made.
 */
export const codex: KnownClient = {
  ...CONNECTABLE.codex,
  speaks: { 'openai-responses': 'openai_responses' },
  setup: (target, { env }) => {
    const own = target.usesBoughsKey ? undefined : env['OPENAI_API_KEY'];
    const baseUrl = `${addressOf(target, 'openai-responses', 'openai_responses')}/v1`;
    return {
      env: {
        [CODEX_KEY_VARIABLE]: isSet(own) ? own : NO_KEY,
        ...(target.token === null ? {} : { [CODEX_TOKEN_VARIABLE]: target.token }),
      },
      words: codexSettings(baseUrl, target.token !== null).flatMap((setting) => ['-c', setting]),
    };
  },
};
