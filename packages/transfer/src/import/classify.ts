import { isPlainObject } from '@bough/core';
import type { ForeignConversation } from './conversation.ts';
import { MalformedError, objectOf } from './fields.ts';
import { isChatGpt, readChatGpt } from './formats/chatgpt.ts';
import { isClaude, readClaude } from './formats/claude.ts';
import { isFlat, readFlat } from './formats/flat.ts';
import { isMessage, isMessageHolder, readMessages } from './formats/messages.ts';
import { isUiMessage, readUiMessages } from './formats/ui-messages.ts';

/** What one record of a file is, judged by its content. */
export type RecordKind = 'chatgpt' | 'claude' | 'flat' | 'message' | 'ui-message' | 'messages' | 'ui-messages';

export function kindOf(value: unknown): RecordKind | null {
  if (isChatGpt(value)) return 'chatgpt';
  if (isClaude(value)) return 'claude';
  if (isFlat(value)) return 'flat';
  if (isUiMessage(value)) return 'ui-message';
  if (isMessage(value)) return 'message';
  if (isMessageHolder(value)) return 'messages';
  const held = messagesIn(value);
  if (held.length > 0 && held.every(isUiMessage)) return 'ui-messages';
  return held.length > 0 && held.every(isMessage) ? 'messages' : null;
}

/** Records that are messages form one conversation together; every other record is one or several by itself. */
export const isPartOfConversation = (kind: RecordKind): kind is 'message' | 'ui-message' =>
  kind === 'message' || kind === 'ui-message';

export function conversationsOf(value: unknown, name: string): readonly ForeignConversation[] {
  switch (kindOf(value)) {
    case 'chatgpt':
      return [readChatGpt(value)];
    case 'claude':
      return [readClaude(value)];
    case 'flat':
      return readFlat(value, name);
    case 'messages':
      return [readMessages(messagesIn(value), isPlainObject(value) ? value : {}, name)];
    case 'ui-messages':
      return [readUiMessages(messagesIn(value), isPlainObject(value) ? value : {}, name)];
    case 'message':
    case 'ui-message':
      return [collected([value], name)];
    case null:
      throw new MalformedError(
        `It is none of the known formats${isPlainObject(value) ? ` (it holds ${Object.keys(objectOf(value, 'It')).slice(0, 8).join(', ')})` : ''}.`,
      );
  }
}

/** One conversation from messages that came one by one. */
export function collected(values: readonly unknown[], name: string): ForeignConversation {
  return values.some(isUiMessage) ? readUiMessages(values, {}, name) : readMessages(values, {}, name);
}

function messagesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isPlainObject(value) && Array.isArray(value['messages']) ? value['messages'] : [];
}
