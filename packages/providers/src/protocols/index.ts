import type { ProtocolId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Protocol } from '../protocol.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { gemini } from './gemini/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

export const PROTOCOLS: Readonly<Record<ProtocolId, Protocol>> = {
  'anthropic-messages': anthropicMessages,
  'openai-responses': openaiResponses,
  'openai-chat': openaiChat,
  gemini,
};

/** A protocol by its id. An id from stored data may not match any: that is an error, never a guess. */
export function protocolById(id: string): Protocol {
  const protocol = Object.values(PROTOCOLS).find((candidate) => candidate.id === id);
  if (protocol === undefined) throw new UnknownIdError('protocol', id);
  return protocol;
}
