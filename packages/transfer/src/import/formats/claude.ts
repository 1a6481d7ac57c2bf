import type { ContentBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { ForeignConversation, ForeignMessage } from '../conversation.ts';
import { Notes } from '../conversation.ts';
import type { Fields } from '../fields.ts';
import { listOf, MalformedError, objectOf, textOf, textOrNull, timeOrNull } from '../fields.ts';
import { errorOfReply, failedParts } from '../error-reply.ts';
import { blocksOfAnthropic, splitResults } from './anthropic-blocks.ts';

export const isClaude = (value: unknown): boolean => isPlainObject(value) && Array.isArray(value['chat_messages']);

const ROOT = '00000000-0000-4000-8000-000000000000';

/**
 * One conversation of a Claude export. It names no model and holds no signatures: reasoning can be shown, never
 * replayed.
 */
export function readClaude(value: unknown): ForeignConversation {
  const record = objectOf(value, 'The conversation');
  const notes = new Notes();
  const messages: ForeignMessage[] = [];
  // A message with tool results becomes several nodes; what follows is added below the last of them.
  const lastOf = new Map<string, string>();
  let previous: string | null = null;
  listOf(record['chat_messages'], 'chat_messages').forEach((entry, index) => {
    const uuid = isPlainObject(entry) ? textOrNull(entry['uuid']) : null;
    const read = notes.attempt(`message ${uuid ?? index + 1}`, () => readMessage(objectOf(entry, 'A message'), notes));
    if (read === null) return;
    let parentKey = read.parent === undefined ? previous : parentOf(read.parent, lastOf);
    for (const part of read.parts) {
      messages.push({ ...part, parentKey });
      parentKey = part.key;
    }
    lastOf.set(read.uuid, parentKey ?? read.uuid);
    previous = parentKey;
  });
  return {
    format: 'claude',
    key: textOf(record['uuid'], 'uuid'),
    title: textOrNull(record['name']) ?? '',
    createdAt: timeOrNull(record['created_at']),
    messages,
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

function parentOf(parent: string | null, lastOf: ReadonlyMap<string, string>): string | null {
  return parent === null || parent === ROOT ? null : (lastOf.get(parent) ?? null);
}

type Part = Omit<ForeignMessage, 'parentKey'>;

function readMessage(
  fields: Fields,
  notes: Notes,
): { readonly uuid: string; readonly parent: string | null | undefined; readonly parts: readonly Part[] } {
  const uuid = textOf(fields['uuid'], 'uuid');
  const { sender } = fields;
  if (sender !== 'human' && sender !== 'assistant') throw new MalformedError('sender must be human or assistant.');
  for (const field of ['attachments', 'files']) {
    const list = fields[field];
    if (Array.isArray(list)) for (const _ of list) notes.leftOut.push(field === 'files' ? 'file' : 'attachment');
  }
  const createdAt = timeOrNull(fields['created_at']);
  const content = Array.isArray(fields['content']) ? fields['content'] : [];
  const blocks = blocksOfAnthropic(content, notes);
  const text = textOrNull(fields['text']) ?? '';
  const found: readonly ContentBlock[] = blocks.length > 0 ? blocks : [{ type: 'text', text }];
  const parent = fields['parent_message_uuid'];
  const parts = splitResults(found, sender === 'human' ? 'user' : 'assistant').map((part, index) => ({
    key: index === 0 ? uuid : `${uuid}#${index}`,
    createdAt,
    provider: part.role === 'assistant' ? 'anthropic' : null,
    ...part,
  }));
  const error = sender === 'assistant' ? errorOfReply(fields) : null;
  // An error without any reply: the empty text that stands for one must not be taken for a partial reply.
  const kept = error !== null && blocks.length === 0 && text === '' ? [] : parts;
  return {
    uuid,
    parent: parent === undefined ? undefined : textOrNull(parent),
    parts: error === null ? parts : failedParts(kept, error, uuid).map((part) => ({ ...part, createdAt })),
  };
}
