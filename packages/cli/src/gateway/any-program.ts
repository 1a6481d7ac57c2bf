import { CONNECTABLE } from '@bough/api';
import type { KnownClient, Target } from './client.ts';
import { addressOf, isSet, NO_KEY } from './client.ts';

/**
 * Any other program: the variables that the official SDKs read. They can send no second header, so the token of the
 * server takes the place of the key.
 */
export const anyProgram: KnownClient = {
  ...CONNECTABLE.anyProgram,
  speaks: {
    'anthropic-messages': 'anthropic',
    'openai-responses': 'openai_responses',
    'openai-chat': 'openai',
    gemini: 'gemini',
  },
  setup: (target, { env }) => {
    return {
      env: {
        ANTHROPIC_BASE_URL: addressOf(target, 'anthropic-messages', 'anthropic'),
        OPENAI_BASE_URL: `${openaiAddress(target)}/v1`,
        GOOGLE_GEMINI_BASE_URL: addressOf(target, 'gemini', 'gemini'),
        ...Object.fromEntries(
          KEYS.flatMap((name) => {
            if (target.token !== null) return [[name, target.token]];
            return isSet(env[name]) && !target.usesBoughsKey ? [] : [[name, NO_KEY]];
          }),
        ),
      },
      words: [],
    };
  },
};

const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];

/** One variable stands for both protocols of this vendor; the gateway tells them apart by the path. */
function openaiAddress(target: Target): string {
  return target.provider?.protocol === 'openai-chat'
    ? `${target.gateway}/${target.provider.id}`
    : addressOf(target, 'openai-responses', 'openai_responses');
}
