import type { ContentBlock } from '@bough/core';
import { idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation } from '../../conversation.ts';
import { Notes } from '../../conversation.ts';
import type { ForeignError } from '../../error-reply.ts';
import { errorText } from '../../error-reply.ts';
import type { Fields } from '../../fields.ts';
import {
  idOrNull,
  listIn,
  MalformedError,
  objectIn,
  objectOf,
  textForm,
  textOrNull,
  timeOrNull,
} from '../../fields.ts';
import type { ForeignFile } from '../../files/foreign-file.ts';
import { fileAt, foreignFile } from '../../files/foreign-file.ts';
import type { ForeignEntry, ForeignPart } from '../../tree.ts';
import { treeOf } from '../../tree.ts';
import { partsFrom } from '../reply-parts.ts';
import { blocksOfDetails } from './details.ts';
import { blocksOfOutput } from './output.ts';

const hasHistory = (value: unknown): boolean =>
  isPlainObject(value) && isPlainObject(value['history']) && isPlainObject(value['history']['messages']);

/** A chat of Open WebUI's export, as its database has it, or the older form without a record around it. */
export const isOpenWebUi = (value: unknown): boolean =>
  isPlainObject(value) && (hasHistory(value['chat']) || hasHistory(value));

/** What a message holds that has no place in Bough. */
const UNPLACED = ['annotation', 'embeds', 'followUps', 'merged', 'statusHistory', 'status_history', 'usage'] as const;

export function readOpenWebUi(value: unknown, name: string): readonly ForeignConversation[] {
  const record = objectOf(value, 'The chat');
  const chat = isPlainObject(record['chat']) ? record['chat'] : record;
  const history = objectIn(chat, 'history');
  const notes = new Notes();
  const entries = Object.entries(objectIn(history, 'messages')).map(([id, message]): ForeignEntry => {
    const fields = isPlainObject(message) ? message : {};
    return {
      key: id,
      parent: idOrNull(fields['parentId']),
      children: (Array.isArray(fields['childrenIds']) ? fields['childrenIds'] : []).map(String),
      read: () => readMessage(id, objectOf(message, 'The message'), notes),
    };
  });
  const { messages, endOf } = treeOf(entries, notes);
  const title = textOrNull(record['title']) ?? textOrNull(chat['title']) ?? '';
  const params = objectIn(chat, 'params');
  const meta = objectIn(record, 'meta');
  for (const [kind, held] of [
    ['tag', chat['tags'] ?? meta['tags']],
    ['chat file', chat['files']],
    ['parameter', Object.keys(params).filter((each) => each !== 'system')],
    ['folder', record['folder_id'] == null ? [] : [1]],
  ] as const)
    if (Array.isArray(held)) notes.leftOut.push(...held.map(() => kind));
  return [
    {
      format: 'open-webui',
      key: idOrNull(record['id']) ?? idOrNull(chat['id']) ?? idFrom(name, title, ...entries.map(({ key }) => key)),
      title,
      createdAt: timeOrNull(record['created_at']) ?? timeOrNull(chat['timestamp']),
      systemPrompt: textOrNull(params['system']) || textOrNull(chat['system']) || null,
      archived: record['archived'] === true,
      pinned: record['pinned'] === true,
      messages,
      tipKey: endOf(idOrNull(history['currentId'])),
      leftOut: notes.leftOut,
      problems: notes.problems,
    },
  ];
}

function readMessage(key: string, fields: Fields, notes: Notes): readonly ForeignPart[] {
  const { role } = fields;
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw new MalformedError(`The role "${textForm(role)}" is unknown.`);
  for (const kind of UNPLACED) if (isHeld(fields[kind])) notes.leftOut.push(kind);
  const files = listIn(fields, 'files').flatMap((file) => fileOf(objectOf(file, 'A file'), notes));
  return partsFrom(
    {
      key,
      role,
      createdAt: timeOrNull(fields['timestamp']),
      model: textOrNull(fields['model']),
      error: role === 'assistant' ? errorOf(fields) : null,
      interrupted: role === 'assistant' && fields['done'] === false,
    },
    [...(role === 'assistant' ? sourcesOf(fields) : []), ...blocksOf(fields, role, notes), ...files],
  );
}

const isHeld = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.keys(value).length > 0;

function errorOf({ error }: Fields): ForeignError | null {
  if (error === undefined || error === null || error === false || error === '') return null;
  const message = isPlainObject(error) && 'content' in error ? errorText(error['content']) : errorText(error);
  return { message };
}

function blocksOf(fields: Fields, role: string, notes: Notes): readonly ContentBlock[] {
  const output = listIn(fields, 'output');
  const structured = role === 'assistant' ? blocksOfOutput(output, notes) : [];
  if (structured.length > 0) return structured;
  const { content } = fields;
  if (typeof content === 'string')
    return role === 'assistant' ? blocksOfDetails(content) : content === '' ? [] : [{ type: 'text', text: content }];
  return listIn(fields, 'content').flatMap((part): readonly ContentBlock[] => {
    const block = objectOf(part, 'A part of the content');
    const text = textOrNull(block['text']);
    if (text !== null) return text === '' ? [] : [{ type: 'text', text }];
    const url = textOrNull(objectIn(block, 'image_url')['url']);
    if (url !== null) return [fileAt('image_url', url)];
    notes.leftOut.push(textOrNull(block['type']) ?? 'part');
    return [];
  });
}

/** What a reply was based on: pages and documents, with the passages that the model was given. */
function sourcesOf(fields: Fields): readonly ContentBlock[] {
  const sources = [...listIn(fields, 'sources'), ...listIn(fields, 'citations')];
  if (sources.length === 0) return [];
  const results = sources.flatMap((each) => {
    const source = isPlainObject(each) ? objectIn(each, 'source') : {};
    const url = textOrNull(source['url']) ?? textOrNull(source['id']);
    const title = textOrNull(source['name']) ?? textOrNull(source['title']);
    return url === null && title === null ? [] : [{ url, title }];
  });
  return [{ type: 'search_results', search_results: results, sources }];
}

function fileOf(fields: Fields, notes: Notes): readonly ForeignFile[] {
  const kind = textOrNull(fields['type']) ?? 'file';
  const url = textOrNull(fields['url']);
  const held = objectIn(fields, 'file');
  const name = textOrNull(fields['name']) ?? textOrNull(held['filename']);
  if (kind === 'image' && url !== null) return [fileAt('image', url, name === null ? {} : { name })];
  // A collection, a note or another chat that was pointed at is not a file.
  if (kind !== 'file' && kind !== 'doc' && kind !== 'text' && kind !== 'image') {
    notes.leftOut.push(kind);
    return [];
  }
  const text = textOrNull(objectIn(held, 'data')['content']) ?? textOrNull(fields['content']);
  const ids = [fields['id'], held['id'], name].flatMap((id) => idOrNull(id) ?? []);
  const mediaType = textOrNull(objectIn(held, 'meta')['content_type']);
  return [foreignFile(kind, { ids, name, mediaType, text: text === '' ? null : text })];
}
