import { idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation } from '../../conversation.ts';
import { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import {
  idOrNull,
  listIn,
  listOf,
  MalformedError,
  objectIn,
  objectOf,
  textForm,
  textOrNull,
  timeOrNull,
} from '../../fields.ts';
import type { ForeignEntry, ForeignPart } from '../../tree.ts';
import { treeOf } from '../../tree.ts';
import { partsFrom, providerOf } from '../reply-parts.ts';
import { contentOfBlocks, contentOfLegacy } from './blocks.ts';
import type { TopicFacts } from './topics.ts';
import { topicsIn } from './topics.ts';

/** The `data.json` of a backup: what the program had in its IndexedDB and its local storage. */
export const isCherryStudio = (value: unknown): boolean =>
  isPlainObject(value) &&
  'localStorage' in value &&
  (Array.isArray(value['indexedDB']) ||
    (isPlainObject(value['indexedDB']) && Array.isArray(value['indexedDB']['topics'])));

export function readCherryStudio(value: unknown, name: string): readonly ForeignConversation[] {
  const record = objectOf(value, 'The backup');
  const database = record['indexedDB'];
  const topics = isPlainObject(database)
    ? listOf(database['topics'], 'topics')
    : // The first versions kept one entry for each topic, among others.
      listOf(database, 'indexedDB').flatMap((each) =>
        isPlainObject(each) && textForm(each['key']).startsWith('topic:') ? [each['value']] : [],
      );
  const blocks = isPlainObject(database) ? blocksById(listIn(database, 'message_blocks')) : new Map<string, Fields>();
  const first = new Notes();
  const said = new Set(topics.flatMap(blocksNamedIn));
  for (const id of blocks.keys()) if (!said.has(id)) first.leftOut.push('block of no message');
  const facts = topicsIn(objectIn(record, 'localStorage'), first);
  return topics.map((topic, index) => {
    // What is wrong with the backup as a whole is told with its first conversation.
    const notes = index === 0 ? first : new Notes();
    return readTopic(topic, blocks, facts, `${name} ${index}`, notes);
  });
}

function blocksById(list: readonly unknown[]): ReadonlyMap<string, Fields> {
  return new Map(
    list.filter(isPlainObject).flatMap((block) => {
      const id = idOrNull(block['id']);
      return id === null ? [] : [[id, block] as const];
    }),
  );
}

/** What its messages name, whatever else is wrong with them. */
function blocksNamedIn(topic: unknown): readonly string[] {
  const messages = isPlainObject(topic) && Array.isArray(topic['messages']) ? topic['messages'] : [];
  return messages.flatMap((message: unknown) =>
    isPlainObject(message) && Array.isArray(message['blocks']) ? message['blocks'].map(textForm) : [],
  );
}

function readTopic(
  value: unknown,
  blocks: ReadonlyMap<string, Fields>,
  topics: ReadonlyMap<string, TopicFacts>,
  name: string,
  notes: Notes,
): ForeignConversation {
  const topic = isPlainObject(value) ? value : {};
  const id = idOrNull(topic['id']);
  if (!isPlainObject(value)) notes.problems.push({ where: name, message: 'The topic must be an object.' });
  const { entries, tip } = entriesOf(notes.attempt('messages', () => listIn(topic, 'messages')) ?? [], blocks, notes);
  const { messages, endOf } = treeOf(entries, notes);
  const facts = id === null ? undefined : topics.get(id);
  return {
    format: 'cherry-studio',
    key: id ?? idFrom(name, ...entries.map(({ key }) => key)),
    title: facts?.name ?? textOrNull(topic['name']) ?? '',
    createdAt: facts?.createdAt ?? null,
    systemPrompt: facts?.prompt ?? null,
    pinned: facts?.pinned ?? false,
    folder: facts?.assistant ?? null,
    messages,
    tipKey: endOf(tip),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

/**
 * The list as a tree: replies of several models name the question that they answer, and what follows them goes on from
 * the one that the person chose, or from the last.
 */
function entriesOf(
  list: readonly unknown[],
  blocks: ReadonlyMap<string, Fields>,
  notes: Notes,
): { readonly entries: readonly ForeignEntry[]; readonly tip: string | null } {
  const entries: ForeignEntry[] = [];
  const questions = new Set<string>();
  let tail: string | null = null;
  let asked: string | null = null;
  let isChosen = false;
  list.forEach((value, index) => {
    const fields = isPlainObject(value) ? value : {};
    const key = idOrNull(fields['id']) ?? `#${index + 1}`;
    const question = fields['role'] === 'assistant' ? idOrNull(fields['askId']) : null;
    const isAnswer = question !== null && questions.has(question);
    if (fields['role'] === 'user') questions.add(key);
    const isSibling = isAnswer && question === asked;
    entries.push({ key, parent: isAnswer ? question : tail, read: () => readMessage(key, value, blocks, notes) });
    if (!isSibling || fields['foldSelected'] === true || !isChosen) {
      tail = key;
      isChosen = fields['foldSelected'] === true;
    }
    asked = isAnswer ? question : null;
  });
  return { entries, tip: tail };
}

function readMessage(
  key: string,
  value: unknown,
  blocks: ReadonlyMap<string, Fields>,
  notes: Notes,
): readonly ForeignPart[] {
  const fields = objectOf(value, 'The message');
  const { role, status } = fields;
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw new MalformedError(`The role "${textForm(role)}" is unknown.`);
  // A line in the conversation: models are not sent what is above it.
  if (fields['type'] === 'clear') {
    notes.leftOut.push('clear');
    return [];
  }
  for (const kind of ['usage', 'metrics', 'mentions', 'useful'])
    if (fields[kind] !== undefined && fields[kind] !== null && fields[kind] !== false) notes.leftOut.push(kind);
  const ids = listIn(fields, 'blocks').map(textForm);
  const found = ids.flatMap((id): readonly Fields[] => {
    const block = blocks.get(id);
    if (block === undefined) notes.problems.push({ where: `message ${key}`, message: `Its block ${id} is not there.` });
    return block === undefined ? [] : [block];
  });
  const { blocks: content, error } = ids.length > 0 ? contentOfBlocks(found, notes) : contentOfLegacy(fields);
  const model = objectIn(fields, 'model');
  return partsFrom(
    {
      key,
      role,
      createdAt: timeOrNull(fields['createdAt']),
      provider: providerOf(textOrNull(model['provider'])),
      model: textOrNull(model['id']) ?? textOrNull(fields['modelId']),
      error: role === 'assistant' ? (error ?? (status === 'error' ? { message: null } : null)) : null,
      interrupted: role === 'assistant' && typeof status === 'string' && status !== 'success',
    },
    content,
  );
}
