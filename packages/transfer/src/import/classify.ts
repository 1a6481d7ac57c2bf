import { isPlainObject } from '@bough/core';
import type { ForeignConversation } from './conversation.ts';
import { MalformedError } from './fields.ts';
import { isChatGpt, readChatGpt } from './formats/chatgpt/index.ts';
import { exportOf } from './formats/exports.ts';
import { isClaude, readClaude } from './formats/claude.ts';
import { isFlat, readFlat } from './formats/flat/index.ts';
import { isMalloryRow, readMalloryRows } from './formats/mallory.ts';
import { isMessage, isMessageHolder, readMessages } from './formats/messages.ts';
import { isTavernLine, readTavern } from './formats/sillytavern/index.ts';
import { isUiMessage, readUiMessages } from './formats/ui-messages.ts';
import { seenIn } from './seen.ts';

/** What one record of a file is, judged by its content. */
export type RecordKind =
  | 'export'
  | 'chatgpt'
  | 'claude'
  | 'flat'
  | 'tavern-line'
  | 'message'
  | 'ui-message'
  | 'messages'
  | 'ui-messages';

export function kindOf(value: unknown): RecordKind | null {
  if (exportOf(value) !== null) return 'export';
  if (isChatGpt(value)) return 'chatgpt';
  if (isClaude(value)) return 'claude';
  if (isFlat(value)) return 'flat';
  if (isTavernLine(value)) return 'tavern-line';
  if (isUiMessage(value)) return 'ui-message';
  if (isMessage(value)) return 'message';
  if (isMessageHolder(value)) return 'messages';
  const held = messagesIn(value);
  if (held.length > 0 && held.every(isUiMessage)) return 'ui-messages';
  return held.length > 0 && held.every(isMessage) ? 'messages' : null;
}

/** Records that are messages form one conversation together; every other record is one or several by itself. */
export const isPartOfConversation = (kind: RecordKind): kind is 'message' | 'ui-message' | 'tavern-line' =>
  kind === 'message' || kind === 'ui-message' || kind === 'tavern-line';

export function conversationsOf(value: unknown, name: string): readonly ForeignConversation[] {
  switch (kindOf(value)) {
    case 'export':
      return exportOf(value)?.(value, name) ?? [];
    case 'chatgpt':
      return [readChatGpt(value)];
    case 'claude':
      return [readClaude(value, name)];
    case 'flat':
      return readFlat(value, name);
    case 'messages':
      return [readMessages(messagesIn(value), isPlainObject(value) ? value : {}, name)];
    case 'ui-messages':
      return [readUiMessages(messagesIn(value), isPlainObject(value) ? value : {}, name)];
    case 'message':
    case 'ui-message':
    case 'tavern-line':
      return collected([value], name);
    case null:
      throw new MalformedError(`It is none of the known formats: ${seenIn(value)}.`);
  }
}

/** What messages that came one by one are together: one conversation, or rows of several. */
export function collected(values: readonly unknown[], name: string): readonly ForeignConversation[] {
  if (values.some(isTavernLine)) return [readTavern(values, name)];
  if (values.some(isMalloryRow)) return readMalloryRows(values, name);
  return [values.some(isUiMessage) ? readUiMessages(values, {}, name) : readMessages(values, {}, name)];
}

function messagesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isPlainObject(value) && Array.isArray(value['messages']) ? value['messages'] : [];
}
