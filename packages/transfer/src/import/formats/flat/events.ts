import type { Fields } from '../../fields.ts';
import { textOrNull } from '../../fields.ts';
import type { FlatConversation } from './rows.ts';
import { idText, timeOf } from './rows.ts';

/** Something that happened in a conversation. */
export interface Event {
  readonly kind: 'message' | 'think' | 'tool';
  readonly fields: Fields;
  readonly time: string | null;
  readonly sortOrder: number;
  readonly place: number;
  readonly turnKey: string | null;
}

export type Turns = ReadonlyMap<string, { readonly isThinkingMode: boolean; readonly createdAt: string | null }>;

/** In the order of their creation; a database gives them in any. */
export function turnsOf({ rows }: FlatConversation): Turns {
  const turns = rows.turns.flatMap((turn) => {
    const id = idText(turn['id']);
    const createdAt = timeOf(turn['createdAt']);
    return id === null ? [] : [[id, { isThinkingMode: isTrue(turn['isThinkingMode']), createdAt }] as const];
  });
  const isTimed = turns.every(([, { createdAt }]) => createdAt !== null);
  return new Map(isTimed ? turns.toSorted(([, a], [, b]) => compare(a.createdAt, b.createdAt)) : turns);
}

/** SQLite has no truth values: a dump of it says 1. */
const isTrue = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && /^(?:1|true)$/i.test(value));

export function eventsOf({ rows }: FlatConversation, turns: Turns): readonly Event[] {
  const unordered = [
    ...rows.messages.map((row, place) => eventOf('message', row, place)),
    ...rows.thinkBlocks.map((row, place) => eventOf('think', row, place)),
    ...rows.toolCalls.map((row, place) => eventOf('tool', row, place)),
  ];
  const untimed = new Set(unordered.flatMap(({ time, turnKey }) => (time === null ? [turnKey] : [])));
  return unordered.sort(inOrder(new Map([...turns.keys()].map((id, place) => [id, place])), untimed));
}

function eventOf(kind: Event['kind'], fields: Fields, place: number): Event {
  return {
    kind,
    fields,
    time: timeOf(fields['createdAt']),
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
  const rank = ({ kind, fields }: Event): number => (kind !== 'message' ? 1 : isOf(fields, 'user') ? 0 : 2);
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

export const isOf = ({ role }: Fields, wanted: string): boolean => textOrNull(role)?.toLowerCase() === wanted;

/** What SmallEBot writes before the sentence of an error. */
const ERROR = 'Error: ';

/**
 * SmallEBot has no mark for a turn that failed: it stores the error as the only thing that the turn has besides its
 * question. A text that begins in the same way after thoughts, tools or other texts is the model's own.
 */
export function errorReplies(events: readonly Event[]): ReadonlySet<Event> {
  const replies = new Map<string | null, Event[]>();
  for (const event of events) {
    if (event.kind === 'message' && !isOf(event.fields, 'assistant')) continue;
    const ofTurn = replies.get(event.turnKey);
    if (ofTurn) ofTurn.push(event);
    else replies.set(event.turnKey, [event]);
  }
  const found = new Set<Event>();
  for (const [turnKey, [first, ...others]] of replies) {
    if (turnKey === null || first === undefined || first.kind !== 'message' || others.length > 0) continue;
    if ((textOrNull(first.fields['content']) ?? '').startsWith(ERROR)) found.add(first);
  }
  return found;
}
