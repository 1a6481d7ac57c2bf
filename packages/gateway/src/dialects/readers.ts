import type { ProtocolId } from '@bough/core';
import { readAnthropic } from './anthropic-messages/read.ts';
import { readGemini } from './gemini/read.ts';
import { readChat } from './openai-chat/read.ts';
import { readResponses } from './openai-responses/read.ts';
import type { ReadDialect } from './reader.ts';

export const READERS: Readonly<Record<ProtocolId, ReadDialect>> = {
  'anthropic-messages': readAnthropic,
  'openai-responses': readResponses,
  'openai-chat': readChat,
  gemini: readGemini,
};
