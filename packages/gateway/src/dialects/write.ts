import type { ProtocolId } from '@bough/core';
import { writeAnthropic } from './anthropic-messages/write.ts';
import { writeGemini } from './gemini/write.ts';
import { writeChat } from './openai-chat/write.ts';
import { writeResponses } from './openai-responses/write.ts';
import type { CreateWriter, ReplyWriter, WriteOptions } from './writer.ts';

export type { ClientTool, ReplyWriter, WriteOptions } from './writer.ts';

const WRITERS: Readonly<Record<ProtocolId, CreateWriter>> = {
  'anthropic-messages': writeAnthropic,
  'openai-responses': writeResponses,
  'openai-chat': writeChat,
  gemini: writeGemini,
};

/** Writes one reply in a client's protocol. */
export const createWriter = (protocol: ProtocolId, options: WriteOptions): ReplyWriter => WRITERS[protocol](options);
