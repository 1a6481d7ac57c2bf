import type { ProtocolId } from '@bough/core';

/** How many tokens a routed request has, as the client's protocol says it. An estimate: the provider counts its own. */
export function countBody(protocol: ProtocolId, tokens: number): unknown {
  switch (protocol) {
    case 'anthropic-messages':
      return { input_tokens: tokens };
    case 'gemini':
      return { totalTokens: tokens };
    case 'openai-responses':
    case 'openai-chat':
      return { object: 'response.input_tokens', input_tokens: tokens };
  }
}
