import { deriveTextFromBlocks, idFrom, isPlainObject } from '@bough/core';
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
  textForm,
  textOrNull,
  timeOrNull,
} from '../fields.ts';
import type { ForeignEntry, ForeignPart } from '../tree.ts';
import { treeOf } from '../tree.ts';
import { toolResult } from './anthropic-blocks.ts';
import { partsOfMessage } from './messages.ts';
import { partsFrom } from './reply-parts.ts';

const isChat = (value: unknown): boolean =>
  isPlainObject(value) &&
  Array.isArray(value['messages']) &&
  ('chatID' in value || 'chatTitle' in value || 'chatParams' in value);

/** The whole export, one chat, or a piece of a large export, which is a list of chats. */
export const isTypingMind = (value: unknown): boolean =>
  isChat(value) || (isPlainObject(value) && isPlainObject(value['data']) && 'chats' in value['data']);

export function readTypingMind(value: unknown, name: string): readonly ForeignConversation[] {
  const record = objectOf(value, 'The export');
  if (isChat(record)) return [readChat(record, new Map(), name)];
  const data = objectIn(record, 'data');
  const folders = foldersOf(data);
  if (isPlainObject(data['chats']) && Array.isArray(data['chats']['chunks']))
    throw new MalformedError(
      `Its chats are in other files (${data['chats']['chunks'].map(textForm).slice(0, 3).join(', ')}): import the ZIP file or the directory that holds them all.`,
    );
  return listOf(data['chats'], 'chats').map((chat, index) => readChat(chat, folders, `${name} ${index}`));
}

interface Folder {
  readonly title: string;
  /** What every chat in it begins with. */
  readonly prompt: string | null;
}

function foldersOf(data: Fields): ReadonlyMap<string, Folder> {
  return new Map(
    (Array.isArray(data['folders']) ? data['folders'] : []).filter(isPlainObject).flatMap((folder) => {
      const id = idOrNull(folder['id']);
      const title = textOrNull(folder['title']) ?? textOrNull(folder['name']);
      const prompt = textOrNull(objectIn(folder, 'settings')['systemMessage']) || null;
      return id === null || title === null ? [] : [[id, { title, prompt }] as const];
    }),
  );
}

function readChat(value: unknown, folders: ReadonlyMap<string, Folder>, name: string): ForeignConversation {
  const notes = new Notes();
  const chat = notes.attempt('chat', () => objectOf(value, 'The chat')) ?? {};
  const systems: string[] = [];
  const entries: ForeignEntry[] = [];
  const listed = notes.attempt('messages', () => listIn(chat, 'messages')) ?? [];
  const tip = addEntries(listed, null, '', { entries, systems, model: modelOf(chat), notes });
  const { messages, endOf } = treeOf(entries, notes);
  const given = textOrNull(objectIn(chat, 'chatParams')['systemMessage']);
  const title = textOrNull(chat['chatTitle']) ?? '';
  const filed = idOrNull(chat['folderID']);
  const folder = filed === null ? undefined : folders.get(filed);
  if (filed !== null && folder === undefined) notes.leftOut.push('folder');
  for (const kind of ['tags', 'linkedPlugins']) notes.leftOut.push(...listIn(chat, kind).map(() => kind));
  for (const kind of ['tokenUsage', 'character']) if (isPlainObject(chat[kind])) notes.leftOut.push(kind);
  const firstAsked = messages.find(({ role }) => role === 'user');
  return {
    format: 'typingmind',
    key:
      idOrNull(chat['chatID']) ??
      idOrNull(chat['id']) ??
      idFrom(name, title, JSON.stringify(messages[0]?.blocks ?? [])),
    title: title || deriveTextFromBlocks(firstAsked?.blocks ?? []),
    createdAt: timeOrNull(chat['createdAt']),
    systemPrompt: given || systems.join('\n\n') || folder?.prompt || null,
    pinned: chat['pinned'] === true || chat['isPinned'] === true,
    folder: folder?.title ?? null,
    messages,
    tipKey: endOf(tip),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

interface Reading {
  readonly entries: ForeignEntry[];
  readonly systems: string[];
  readonly model: string | null;
  readonly notes: Notes;
}

function modelOf(chat: Fields): string | null {
  return textOrNull(chat['model']) ?? textOrNull(objectIn(chat, 'modelInfo')['id']);
}

/**
 * Adds messages one below the other. Where several replies were asked for, an entry holds each as a thread of its own:
 * they are siblings, and what follows goes on from the one that is shown. Gives the key of the last one.
 */
function addEntries(list: readonly unknown[], above: string | null, space: string, reading: Reading): string | null {
  let tail = above;
  list.forEach((value, index) => {
    const place = `${space}${index + 1}`;
    const threads = isPlainObject(value) ? threadsOf(value) : null;
    if (threads !== null && isPlainObject(value)) {
      const shown = value['activeThreadIdx'] ?? value['activeThreadIndex'] ?? value['selectedThread'];
      const ends = threads.map((thread, at) => addEntries(thread, tail, `${place}.${at + 1}.`, reading));
      tail = (typeof shown === 'number' ? ends[shown] : undefined) ?? ends.at(-1) ?? tail;
      return;
    }
    const fields = isPlainObject(value) ? value : {};
    const key = idOrNull(fields['uuid']) ?? idOrNull(fields['id']) ?? `#${place}`;
    reading.entries.push({ key, parent: tail, read: () => readMessage(key, value, reading) });
    tail = key;
  });
  return tail;
}

function threadsOf(fields: Fields): readonly (readonly unknown[])[] | null {
  if (!Array.isArray(fields['threads'])) return null;
  return fields['threads'].map((thread: unknown) => {
    if (Array.isArray(thread)) return thread;
    return isPlainObject(thread) && Array.isArray(thread['messages']) ? thread['messages'] : [thread];
  });
}

function readMessage(key: string, value: unknown, { systems, model, notes }: Reading): readonly ForeignPart[] {
  const fields = objectOf(value, 'The message');
  for (const kind of ['usage', 'refusal']) if (isPlainObject(fields[kind])) notes.leftOut.push(kind);
  // Some converters know what a tool gave, and not which call it answers.
  if (fields['role'] === 'tool' && idOrNull(fields['tool_call_id']) === null) {
    const use = { type: 'tool-use', id: key, name: idOrNull(fields['name']) ?? 'tool', parameters: {} };
    const createdAt = timeOrNull(fields['createdAt']);
    return partsFrom({ key, role: 'assistant', createdAt }, [use, toolResult(key, textForm(fields['content'] ?? ''))]);
  }
  const parts = partsOfMessage({ ...fields, timestamp: fields['timestamp'] ?? fields['createdAt'] }, key, notes);
  return parts.flatMap((part): readonly ForeignPart[] => {
    if (part.role === 'system') {
      systems.push(deriveTextFromBlocks(part.blocks));
      return [];
    }
    return [part.role === 'assistant' ? { ...part, model: part.model ?? model } : part];
  });
}
