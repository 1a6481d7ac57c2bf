import type { ContentBlock } from '@bough/core';
import { idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation, ForeignMessage } from '../../conversation.ts';
import { Notes } from '../../conversation.ts';
import { errorOfReply } from '../../error-reply.ts';
import { MalformedError, objectOf, parametersOf, textForm, textOf, textOrNull } from '../../fields.ts';
import { foreignFile } from '../../files/foreign-file.ts';
import type { ForeignPart } from '../../tree.ts';
import type { Event, Turns } from './events.ts';
import { errorReplies, eventsOf, isOf, turnsOf } from './events.ts';
import type { FlatConversation } from './rows.ts';
import { conversationsIn, idText, list, timeOf } from './rows.ts';

// SmallEBot and similar programs store a conversation as flat lists ordered by time: messages, thoughts, tool calls,
// turns.

const hasLists = (value: unknown): boolean =>
  isPlainObject(value) &&
  list(value, 'messages') !== null &&
  (list(value, 'thinkBlocks') !== null || list(value, 'toolCalls') !== null);

export function isFlat(value: unknown): boolean {
  if (hasLists(value)) return true;
  if (!isPlainObject(value)) return false;
  const conversations = list(value, 'conversations');
  if (conversations === null) return false;
  // The first versions had neither thoughts nor tools; later ones may be dumped with everything inside.
  return 'ChatMessages' in value || 'chatMessages' in value || conversations.some(hasLists);
}

/** All conversations of one record; the lists may hold one or many. */
export function readFlat(value: unknown, name: string): readonly ForeignConversation[] {
  const first = new Notes();
  const conversations = conversationsIn(objectOf(value, 'The record'), first);
  if (conversations.length === 0) throw new MalformedError('It holds no conversation.');
  // What belongs to no conversation is told with the first one.
  return conversations.map((each, index) =>
    readFlatConversation(
      each,
      conversations.length === 1 ? name : `${name} ${index}`,
      index === 0 ? first : new Notes(),
    ),
  );
}

export function readFlatConversation(
  conversation: FlatConversation,
  name: string,
  notes = new Notes(),
): ForeignConversation {
  const { fields } = conversation;
  const turns = turnsOf(conversation);
  if ((textOrNull(fields['compressedContext']) ?? '') !== '') notes.leftOut.push('compressed context');
  return {
    format: 'flat',
    key: idText(fields['id']) ?? idFrom(name),
    title: textOrNull(fields['title']) ?? '',
    createdAt: timeOf(fields['createdAt']),
    messages: messagesOf(eventsOf(conversation, turns), turns, notes),
    turns,
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

/** One after the other; a message that replaces another one stands beside it. */
function messagesOf(events: readonly Event[], turns: Turns, notes: Notes): readonly ForeignMessage[] {
  const messages: ForeignMessage[] = [];
  const errors = errorReplies(events);
  const replaced = replacedBy(events, notes);
  // A question that was replaced lost its reply, and with it what would be a turn.
  const replied = new Set(events.flatMap((event) => (isQuestion(event) ? [] : [event.turnKey])));
  const aboveOf = new Map<string, string | null>();
  let tail: string | null = null;
  for (const [index, event] of events.entries()) {
    const id = idText(event.fields['id']) ?? String(event.place);
    const key = `${event.kind} ${id}`;
    const parts = notes.attempt(key, () => partsOf(event, key, `call-${index}`, errors.has(event), notes)) ?? [];
    const { turnKey } = event;
    const turn = turnKey !== null && turns.has(turnKey) && replied.has(turnKey) ? { turnKey } : {};
    const original = event.kind === 'message' ? replaced.get(id) : undefined;
    if (original !== undefined && aboveOf.has(original)) tail = aboveOf.get(original) ?? null;
    if (event.kind === 'message') aboveOf.set(id, tail);
    for (const part of parts) {
      messages.push({ ...part, createdAt: event.time, ...turn, parentKey: tail });
      tail = part.key;
    }
  }
  return messages;
}

const isQuestion = ({ kind, fields }: Event): boolean => kind === 'message' && isOf(fields, 'user');

/** Which message a message replaces, by their ids. */
function replacedBy(events: readonly Event[], notes: Notes): ReadonlyMap<string, string> {
  const ids = new Set(events.flatMap(({ kind, fields }) => (kind === 'message' ? (idText(fields['id']) ?? []) : [])));
  const found = new Map<string, string>();
  for (const { kind, fields } of events) {
    const id = idText(fields['id']);
    const by = idText(fields['replacedByMessageId']);
    if (kind !== 'message' || id === null || by === null) continue;
    if (ids.has(by)) found.set(by, id);
    else notes.problems.push({ where: `message ${id}`, message: `What replaced it (${by}) is not there.` });
  }
  return found;
}

type Part = Omit<ForeignPart, 'createdAt'>;

function partsOf(
  { kind, fields }: Event,
  key: string,
  callName: string,
  isError: boolean,
  notes: Notes,
): readonly Part[] {
  if (kind === 'think') {
    const block: ContentBlock = { type: 'thinking', thinking: textOf(fields['content'], 'content') };
    return [{ key, role: 'assistant', blocks: [block] }];
  }
  if (kind === 'tool') {
    const id = idText(fields['id']) ?? callName;
    const call: ContentBlock = {
      type: 'tool-use',
      id,
      name: textOf(fields['toolName'], 'toolName'),
      parameters: parametersOf(fields['arguments']),
    };
    const asked = { key, role: 'assistant' as const, blocks: [call] };
    const result = fields['result'];
    if (result === undefined || result === null) return [asked];
    return [
      asked,
      { key: `${key}#result`, role: 'tool', blocks: [{ type: 'text', text: textForm(result) }], toolCallId: id },
    ];
  }
  const role = textOf(fields['role'], 'role').toLowerCase();
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw new MalformedError(`The role "${role}" is unknown.`);
  }
  notes.leftOut.push(...named(fields['requestedSkillIdsJson']).map(() => 'requested skill'));
  const files = role === 'user' ? named(fields['attachedPathsJson']).map(fileOf) : [];
  const blocks: readonly ContentBlock[] = [{ type: 'text', text: textOf(fields['content'], 'content') }, ...files];
  return [{ key, role, blocks, isError: role === 'assistant' && (isError || errorOfReply(fields) !== null) }];
}

/** A list of names that is stored as JSON. */
function named(value: unknown): readonly string[] {
  if (typeof value !== 'string' || value === '') return [];
  const names: unknown = JSON.parse(value);
  if (!Array.isArray(names)) throw new MalformedError('A list of names must be a list.');
  return names.map(textForm);
}

function fileOf(path: string): ContentBlock {
  const name = path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
  return foreignFile('file', { ids: [name], name });
}
