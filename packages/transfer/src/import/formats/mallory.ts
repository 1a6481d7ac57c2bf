import { deriveTextFromBlocks, idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation } from '../conversation.ts';
import { inLine, Notes } from '../conversation.ts';
import type { Fields } from '../fields.ts';
import { idOrNull, listIn, objectOf, textForm, textOrNull, timeOrNull } from '../fields.ts';
import type { ForeignPart } from '../tree.ts';
import { partsOfUiMessage } from './ui-messages.ts';

// Mallory stores messages as rows of a table: the text for searching, and all of the message, with reasoning and tools,
// as parts of the AI SDK in the column `metadata`.

/** The column as it was stored, or as a text, which is what exports of tables make of it. */
function metadataOf(row: Fields): Fields {
  const held = row['metadata'];
  if (typeof held !== 'string') return isPlainObject(held) ? held : {};
  try {
    const parsed: unknown = JSON.parse(held);
    return isPlainObject(parsed) ? parsed : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

export function isMalloryRow(value: unknown): boolean {
  if (!isPlainObject(value) || !('conversation_id' in value) || typeof value['role'] !== 'string') return false;
  const metadata = metadataOf(value);
  return Array.isArray(metadata['parts']) || 'chainOfThought' in metadata;
}

/** Both tables in one record. */
export const isMallory = (value: unknown): boolean =>
  isPlainObject(value) && Array.isArray(value['messages']) && value['messages'].some(isMalloryRow);

export function readMallory(value: unknown, name: string): readonly ForeignConversation[] {
  const record = objectOf(value, 'The record');
  return readMalloryRows(listIn(record, 'messages'), name, listIn(record, 'conversations'));
}

/** Rows in any order, of one conversation or of many. */
export function readMalloryRows(
  rows: readonly unknown[],
  name: string,
  listed: readonly unknown[] = [],
): readonly ForeignConversation[] {
  const groups = new Map<string | null, unknown[]>();
  for (const row of rows) {
    const id = isPlainObject(row) ? idOrNull(row['conversation_id']) : null;
    const group = groups.get(id);
    if (group) group.push(row);
    else groups.set(id, [row]);
  }
  const known = new Map(
    listed.filter(isPlainObject).flatMap((each) => {
      const id = idOrNull(each['id']);
      return id === null ? [] : [[id, each] as const];
    }),
  );
  return [...groups].map(([id, group]) => readGroup(id, group, known.get(id ?? '') ?? {}, name));
}

function readGroup(id: string | null, rows: readonly unknown[], about: Fields, name: string): ForeignConversation {
  const notes = new Notes();
  const time = (row: unknown): string => (isPlainObject(row) ? (timeOrNull(row['created_at']) ?? '') : '');
  const parts = rows
    .toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0))
    .flatMap((row, index) => {
      const key = (isPlainObject(row) ? idOrNull(row['id']) : null) ?? `#${index + 1}`;
      return notes.attempt(`row ${key}`, () => readRow(key, objectOf(row, 'A row'), notes)) ?? [];
    });
  const first = parts.find(({ role }) => role === 'user');
  const title = textOrNull(about['title']);
  return {
    format: 'mallory',
    key: id ?? idFrom(name, parts[0]?.key ?? ''),
    // What the program itself calls every conversation until it has a title.
    title: title === null || title === 'mallory-global' ? deriveTextFromBlocks(first?.blocks ?? []) : title,
    createdAt: timeOrNull(about['created_at']) ?? parts[0]?.createdAt ?? null,
    messages: inLine(parts),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

function readRow(key: string, row: Fields, notes: Notes): readonly ForeignPart[] {
  const metadata = metadataOf(row);
  for (const kind of ['is_liked', 'is_disliked']) if (row[kind] === true) notes.leftOut.push(kind);
  const text = textForm(row['content'] ?? '');
  const parts =
    Array.isArray(metadata['parts']) && metadata['parts'].length > 0 ? metadata['parts'] : [{ type: 'text', text }];
  return partsOfUiMessage({ ...row, parts, metadata, createdAt: row['created_at'] }, key, notes);
}
