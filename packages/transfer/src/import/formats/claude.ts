import type { ContentBlock } from '@bough/core';
import { idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation } from '../conversation.ts';
import { Notes } from '../conversation.ts';
import type { Fields } from '../fields.ts';
import {
  idOrNull,
  listIn,
  listOf,
  MalformedError,
  objectIn,
  objectOf,
  textOrNull,
  timeOrNull,
  wordsIn,
} from '../fields.ts';
import { errorOfReply, failedParts } from '../error-reply.ts';
import type { ForeignFile } from '../files/foreign-file.ts';
import { foreignFile } from '../files/foreign-file.ts';
import type { ForeignEntry, ForeignPart } from '../tree.ts';
import { treeOf } from '../tree.ts';
import { blocksOfAnthropic, splitResults } from './anthropic-blocks.ts';

export const isClaude = (value: unknown): boolean => isPlainObject(value) && Array.isArray(value['chat_messages']);

const ROOT = '00000000-0000-4000-8000-000000000000';

/**
 * One conversation of a Claude export. It names no model and holds no signatures: reasoning can be shown, never
 * replayed.
 */
export function readClaude(value: unknown, name = ''): ForeignConversation {
  const record = objectOf(value, 'The conversation');
  const notes = new Notes();
  const listed = listOf(record['chat_messages'], 'chat_messages');
  const entries: ForeignEntry[] = [];
  listed.forEach((entry, index) => {
    const fields = isPlainObject(entry) ? entry : {};
    const key = idOrNull(fields['uuid']) ?? `#${index + 1}`;
    const parent = fields['parent_message_uuid'];
    // Older exports do not name parents: their messages come one after the other.
    const above = parent === undefined ? (entries.at(-1)?.key ?? null) : idOrNull(parent);
    entries.push({
      key,
      parent: above === ROOT ? null : above,
      read: () => readMessage(key, objectOf(entry, 'A message'), notes),
    });
  });
  const { messages, endOf } = treeOf(entries, notes);
  for (const [kind, held] of [
    ['starred', record['is_starred']],
    ['summary', record['summary']],
  ] as const)
    if (held === true || (typeof held === 'string' && held !== '')) notes.leftOut.push(kind);
  return {
    format: 'claude',
    key: idOrNull(record['uuid']) ?? idFrom(name, JSON.stringify([record['name'], record['created_at'], messages[0]])),
    title: textOrNull(record['name']) ?? '',
    createdAt: timeOrNull(record['created_at']),
    archived: record['is_archived'] === true,
    folder: textOrNull(objectIn(record, 'project')['name']),
    messages,
    tipKey: endOf(idOrNull(record['current_leaf_message_uuid']) ?? entries.at(-1)?.key ?? null),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

function readMessage(key: string, fields: Fields, notes: Notes): readonly ForeignPart[] {
  const { sender } = fields;
  if (sender !== 'human' && sender !== 'assistant') throw new MalformedError('sender must be human or assistant.');
  const createdAt = timeOrNull(fields['created_at']);
  const content =
    fields['content'] === undefined || fields['content'] === null ? [] : listOf(fields['content'], 'content');
  const blocks = blocksOfAnthropic(content.map(withSources), notes);
  const text = wordsIn(fields, 'text');
  const files = filesOf(fields);
  const said: readonly ContentBlock[] = blocks.length > 0 ? blocks : [{ type: 'text', text }];
  const found = files.length > 0 && blocks.length === 0 && text === '' ? files : [...said, ...files];
  const parts = splitResults(found, sender === 'human' ? 'user' : 'assistant').map((part, index): ForeignPart => ({
    key: index === 0 ? key : `${key}#${index}`,
    createdAt,
    provider: part.role === 'assistant' ? 'anthropic' : null,
    ...part,
  }));
  const error = sender === 'assistant' ? errorOfReply(fields) : null;
  // An error without any reply: the empty text that stands for one must not be taken for a partial reply.
  const kept = error !== null && blocks.length === 0 && text === '' ? [] : parts;
  if (error !== null) return failedParts(kept, error, key).map((part) => ({ ...part, createdAt }));
  const last = parts.at(-1);
  return last?.role === 'assistant' && isStopped(fields, content)
    ? [...parts.slice(0, -1), { ...last, interrupted: true }]
    : parts;
}

/** The person stopped it, or it was cut off. */
function isStopped(fields: Fields, content: readonly unknown[]): boolean {
  const last = content.at(-1);
  return (
    fields['truncated'] === true ||
    fields['stop_reason'] === 'user_canceled' ||
    fields['stop_reason'] === 'max_tokens' ||
    (isPlainObject(last) && last['cut_off'] === true)
  );
}

/** A citation of an export has its address one level deeper than those of the API. */
function withSources(block: unknown): unknown {
  if (!isPlainObject(block) || !Array.isArray(block['citations'])) return block;
  const citations = block['citations'].map((citation: unknown) => {
    if (!isPlainObject(citation) || 'url' in citation) return citation;
    const sources = Array.isArray(citation['sources']) ? citation['sources'] : [];
    const source = [citation['details'], ...sources].find((each) => isPlainObject(each) && 'url' in each);
    return isPlainObject(source) ? { title: source['title'], url: source['url'], ...citation } : citation;
  });
  return { ...block, citations };
}

/** An export holds the text of documents, and of everything else the name. */
function filesOf(fields: Fields): readonly ForeignFile[] {
  const listed = (field: string): readonly Fields[] => listIn(fields, field).map((each) => objectOf(each, field));
  const attachments = listed('attachments').map((each) => {
    const name = textOrNull(each['file_name']);
    const text = textOrNull(each['extracted_content']);
    return foreignFile('attachment', { ids: idsOf(each), name, text: text === '' ? null : text });
  });
  const withText = new Set(attachments.flatMap(({ name, text }) => (text === null || name === null ? [] : [name])));
  const files = listed('files')
    .filter((each) => !withText.has(textOrNull(each['file_name']) ?? ''))
    .map((each) => foreignFile('file', { ids: idsOf(each), name: textOrNull(each['file_name']) }));
  return [...attachments, ...files];
}

function idsOf(each: Fields): readonly string[] {
  return [each['file_uuid'], each['id'], each['file_name']].flatMap((id) => textOrNull(id) || []);
}
