import { isPlainObject } from '@bough/core';
import type { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { objectOf, timeOrNull } from '../../fields.ts';

export const KINDS = ['turns', 'messages', 'thinkBlocks', 'toolCalls'] as const;
export type RowKind = (typeof KINDS)[number];

const NAMES: Readonly<Record<RowKind | 'conversations', readonly string[]>> = {
  conversations: ['conversations'],
  turns: ['turns', 'conversationTurns'],
  messages: ['messages', 'chatMessages'],
  thinkBlocks: ['thinkBlocks'],
  toolCalls: ['toolCalls'],
};

/** A conversation and the rows that belong to it. */
export interface FlatConversation {
  readonly fields: Fields;
  readonly rows: Readonly<Record<RowKind, readonly Fields[]>>;
}

/** Field names with a lower-case first letter: exports of .NET programs capitalise them. */
export function lowered(value: unknown): Fields {
  const fields = objectOf(value, 'A record');
  return Object.fromEntries(
    Object.entries(fields).map(([name, held]) => [name.charAt(0).toLowerCase() + name.slice(1), held]),
  );
}

export function list(record: Fields, kind: keyof typeof NAMES): readonly unknown[] | null {
  const fields = lowered(record);
  const found = NAMES[kind].map((name) => fields[name]).find(Array.isArray);
  return found ?? null;
}

export function idText(value: unknown): string | null {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null;
}

/** A time without a zone is in UTC: that is what the program writes, and its database keeps no zones. */
export function timeOf(value: unknown): string | null {
  const bare = typeof value === 'string' ? /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/.exec(value) : null;
  return timeOrNull(bare === null ? value : `${bare[1]}T${bare[2]}Z`);
}

/**
 * The conversations of a record with their rows: in lists of their own, all together, or inside each conversation. A
 * row that is none, or whose conversation is not there, is named.
 */
export function conversationsIn(record: Fields, notes: Notes): readonly FlatConversation[] {
  const top = lowered(record);
  const listed = list(record, 'conversations');
  // One conversation alone is the record itself: what is in it is found once.
  const isItself = listed === null && top['conversation'] === undefined;
  const entries = listed ?? [top['conversation'] ?? top];
  const conversations = entries.flatMap((entry, place) => {
    const fields = notes.attempt(`conversation ${place + 1}`, () => lowered(entry));
    return fields === null ? [] : [fields];
  });
  const rows = new Map(conversations.map((fields) => [fields, rowsOf(isItself ? {} : fields, notes)]));
  const byId = new Map(conversations.map((fields) => [idText(fields['id']), fields]));
  for (const [kind, found] of Object.entries(rowsOf(record, notes)) as [RowKind, readonly Fields[]][]) {
    for (const [place, row] of found.entries()) {
      const [only] = conversations;
      const owner = conversations.length === 1 ? only : byId.get(idText(row['conversationId']));
      if (owner === undefined)
        notes.problems.push({
          where: `${kind} ${idText(row['id']) ?? place + 1}`,
          message: `Its conversation ${idText(row['conversationId']) ?? ''} is not there.`,
        });
      else rows.get(owner)?.[kind].push(row);
    }
  }
  return conversations.map((fields) => ({ fields, rows: rows.get(fields) ?? rowsOf({}, notes) }));
}

function rowsOf(record: Fields, notes: Notes): Record<RowKind, Fields[]> {
  const held = lowered(record);
  for (const name of Object.values(NAMES).flat())
    if (held[name] !== undefined && held[name] !== null && !Array.isArray(held[name]))
      notes.problems.push({ where: name, message: `${name} must be a list.` });
  const read = (kind: RowKind): Fields[] =>
    (list(record, kind) ?? []).flatMap((row, place) => {
      if (isPlainObject(row)) return [lowered(row)];
      notes.problems.push({ where: `${kind} ${place + 1}`, message: 'The row must be an object.' });
      return [];
    });
  return {
    turns: read('turns'),
    messages: read('messages'),
    thinkBlocks: read('thinkBlocks'),
    toolCalls: read('toolCalls'),
  };
}
