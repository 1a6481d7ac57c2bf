import type { ContentBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { ForeignConversation, ForeignMessage } from '../conversation.ts';
import { inLine, Notes } from '../conversation.ts';
import type { Fields } from '../fields.ts';
import { MalformedError, objectOf, parametersOf, textForm, textOf, textOrNull, timeOrNull } from '../fields.ts';
import { errorOfReply } from '../error-reply.ts';
import { idFrom } from '../ids.ts';

// SmallEBot and similar programs store a conversation as flat lists ordered by time: messages, thoughts, tool calls,
// turns.

const NAMES = {
  conversations: ['conversations'],
  turns: ['turns', 'conversationTurns'],
  messages: ['messages', 'chatMessages'],
  thinkBlocks: ['thinkBlocks'],
  toolCalls: ['toolCalls'],
} as const;

export const isFlat = (value: unknown): boolean =>
  isPlainObject(value) &&
  (list(value, 'thinkBlocks') !== null || list(value, 'toolCalls') !== null) &&
  list(value, 'messages') !== null;

/** All conversations of one record; the lists may hold one or many. */
export function readFlat(value: unknown, name: string): readonly ForeignConversation[] {
  const record = objectOf(value, 'The record');
  const conversations = list(record, 'conversations') ?? [
    record['conversation'] ?? { id: record['id'], title: record['title'] },
  ];
  return conversations.map((entry) => {
    const fields = objectOf(entry, 'A conversation');
    const id = idText(fields['id']);
    const belongs = (item: unknown): boolean =>
      isPlainObject(item) &&
      (conversations.length === 1 || idText(item['conversationId'] ?? item['ConversationId']) === id);
    return readConversation(fields, (kind) => (list(record, kind) ?? []).filter(belongs), id ?? idFrom(name));
  });
}

interface Event {
  readonly kind: 'message' | 'think' | 'tool';
  readonly fields: Fields;
  readonly time: string | null;
  readonly sortOrder: number;
  readonly place: number;
  readonly turnKey: string | null;
}

function readConversation(
  fields: Fields,
  listed: (kind: keyof typeof NAMES) => readonly unknown[],
  key: string,
): ForeignConversation {
  const notes = new Notes();
  const turns = new Map(
    listed('turns').flatMap((value) => {
      const turn = lowered(value);
      const id = idText(turn['id']);
      return id === null
        ? []
        : [
            [
              id,
              { isThinkingMode: turn['isThinkingMode'] === true, createdAt: timeOrNull(turn['createdAt']) },
            ] as const,
          ];
    }),
  );
  const unordered = [
    ...listed('messages').map((value, place) => eventOf('message', value, place)),
    ...listed('thinkBlocks').map((value, place) => eventOf('think', value, place)),
    ...listed('toolCalls').map((value, place) => eventOf('tool', value, place)),
  ];
  const untimed = new Set(unordered.flatMap(({ time, turnKey }) => (time === null ? [turnKey] : [])));
  const events = unordered.sort(inOrder(new Map([...turns.keys()].map((id, place) => [id, place])), untimed));
  const messages = messagesOf(events, turns, notes);
  return {
    format: 'flat',
    key,
    title: textOrNull(lowered(fields)['title']) ?? '',
    createdAt: timeOrNull(lowered(fields)['createdAt']),
    messages: inLine(messages),
    turns,
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

function eventOf(kind: Event['kind'], value: unknown, place: number): Event {
  const fields = lowered(value);
  return {
    kind,
    fields,
    time: timeOrNull(fields['createdAt']),
    sortOrder: typeof fields['sortOrder'] === 'number' ? fields['sortOrder'] : 0,
    place,
    turnKey: idText(fields['turnId']),
  };
}

/**
 * Turn by turn; within a turn the question first, then everything in the order of its creation: a text that was written
 * before a tool was called comes before it. Where something of a turn has no time, thoughts and tools come by their own
 * order, and the answer last.
 */
function inOrder(
  turnPlaces: ReadonlyMap<string, number>,
  untimed: ReadonlySet<string | null>,
): (a: Event, b: Event) => number {
  const rank = ({ kind, fields }: Event): number => (kind !== 'message' ? 1 : fields['role'] === 'user' ? 0 : 2);
  const isQuestion = (event: Event): boolean => rank(event) === 0;
  return (a, b) => {
    const turnA = a.turnKey === null ? undefined : turnPlaces.get(a.turnKey);
    const turnB = b.turnKey === null ? undefined : turnPlaces.get(b.turnKey);
    const byKind = rank(a) - rank(b) || a.sortOrder - b.sortOrder;
    if (turnA === undefined || turnB === undefined) return compare(a.time, b.time) || byKind || a.place - b.place;
    if (turnA !== turnB) return turnA - turnB;
    if (untimed.has(a.turnKey)) return byKind || compare(a.time, b.time) || a.place - b.place;
    return Number(isQuestion(b)) - Number(isQuestion(a)) || compare(a.time, b.time) || byKind || a.place - b.place;
  };
}

const compare = (a: string | null, b: string | null): number => (a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1);

type Part = Omit<ForeignMessage, 'parentKey'>;

function messagesOf(events: readonly Event[], turns: ReadonlyMap<string, unknown>, notes: Notes): readonly Part[] {
  const messages: Part[] = [];
  const errors = new Set(errorReplies(events));
  for (const [index, event] of events.entries()) {
    const id = idText(event.fields['id']) ?? String(event.place);
    const key = `${event.kind} ${id}`;
    const parts = notes.attempt(`${event.kind} ${id}`, () => partsOf(event, key, `call-${index}`, errors.has(event)));
    const turn = event.turnKey !== null && turns.has(event.turnKey) ? { turnKey: event.turnKey } : {};
    for (const part of parts ?? []) messages.push({ ...part, createdAt: event.time, ...turn });
  }
  return messages;
}

/** What SmallEBot writes before the sentence of an error. */
const ERROR = 'Error: ';

/**
 * SmallEBot has no mark for a turn that failed: it stores the error as the only thing that the turn has besides its
 * question. A text that begins in the same way after thoughts, tools or other texts is the model's own.
 */
function* errorReplies(events: readonly Event[]): Generator<Event> {
  const replies = new Map<string | null, Event[]>();
  for (const event of events) {
    if (event.kind === 'message' && !isReply(event.fields)) continue;
    const ofTurn = replies.get(event.turnKey);
    if (ofTurn) ofTurn.push(event);
    else replies.set(event.turnKey, [event]);
  }
  for (const [turnKey, [first, ...others]] of replies) {
    if (turnKey === null || first === undefined || first.kind !== 'message' || others.length > 0) continue;
    if ((textOrNull(first.fields['content']) ?? '').startsWith(ERROR)) yield first;
  }
}

const isReply = ({ role }: Fields): boolean => textOrNull(role)?.toLowerCase() === 'assistant';

function partsOf(
  { kind, fields }: Event,
  key: string,
  callName: string,
  isError: boolean,
): readonly Omit<Part, 'createdAt'>[] {
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
  const blocks: readonly ContentBlock[] = [{ type: 'text', text: textOf(fields['content'], 'content') }];
  return [{ key, role, blocks, isError: role === 'assistant' && (isError || errorOfReply(fields) !== null) }];
}

/** Field names with a lower-case first letter: exports of .NET programs capitalise them. */
function lowered(value: unknown): Fields {
  const fields = objectOf(value, 'A record');
  return Object.fromEntries(
    Object.entries(fields).map(([name, held]) => [name.charAt(0).toLowerCase() + name.slice(1), held]),
  );
}

function list(record: Fields, kind: keyof typeof NAMES): readonly unknown[] | null {
  const fields = lowered(record);
  const found = NAMES[kind].map((name) => fields[name]).find(Array.isArray);
  return found ?? null;
}

function idText(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
