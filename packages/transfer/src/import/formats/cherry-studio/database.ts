import { idFrom, isPlainObject } from '@bough/core';
import type { ForeignConversation } from '../../conversation.ts';
import { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { idOrNull, listIn, objectIn, objectOf, textForm, textOf, textOrNull, timeOrNull } from '../../fields.ts';
import type { ForeignEntry, ForeignPart } from '../../tree.ts';
import { treeOf } from '../../tree.ts';
import { providerOf } from '../reply-parts.ts';
import { partsOfUiMessage } from '../ui-messages.ts';

/** A topic of version 2, which stores a tree of messages whose content is parts of the AI SDK. */
export function readCherryTopic(
  topic: Fields,
  rows: readonly Fields[],
  assistant: Fields | null,
  name: string,
): ForeignConversation {
  const notes = new Notes();
  const entries = rows.map((row, index): ForeignEntry => {
    const key = idOrNull(row['id']) ?? `#${index + 1}`;
    return { key, parent: idOrNull(row['parent_id']), read: () => readRow(key, row, notes) };
  });
  const { messages, endOf } = treeOf(entries, notes);
  return {
    format: 'cherry-studio',
    key: idOrNull(topic['id']) ?? idFrom(name, ...entries.map(({ key }) => key)),
    title: textOrNull(topic['name']) ?? '',
    createdAt: timeOrNull(topic['created_at']),
    systemPrompt: textOrNull(assistant?.['prompt']) || null,
    folder: textOrNull(assistant?.['name']),
    messages,
    tipKey: endOf(idOrNull(topic['active_node_id']) ?? entries.at(-1)?.key ?? null),
    leftOut: notes.leftOut,
    problems: notes.problems,
  };
}

function readRow(key: string, row: Fields, notes: Notes): readonly ForeignPart[] {
  // Every topic has one, above its first message.
  if (row['role'] === 'root') return [];
  if (row['deleted_at'] !== null && row['deleted_at'] !== undefined) {
    notes.leftOut.push('deleted message');
    return [];
  }
  for (const kind of ['stats', 'compaction_summary'])
    if (row[kind] !== null && row[kind] !== undefined) notes.leftOut.push(kind);
  const data = objectOf(JSON.parse(textOf(row['data'], 'data')), 'data');
  const parts = listIn(data, 'parts').flatMap((part) => shownPart(part, notes));
  if (parts.length === 0 && row['status'] !== 'error') return [];
  const [provider, model] = (textOrNull(row['model_id']) ?? '').split('::');
  const found = partsOfUiMessage(
    {
      role: row['role'],
      parts,
      createdAt: row['created_at'],
      status: row['status'],
      metadata: { provider: providerOf(provider || null), model: model || snapshotModel(row['message_snapshot']) },
    },
    key,
    notes,
  );
  const last = found.at(-1);
  return row['status'] === 'paused' && last?.role === 'assistant'
    ? [...found.slice(0, -1), { ...last, interrupted: true }]
    : found;
}

/** The model as it was called when it answered, where it is no longer among the models. */
function snapshotModel(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const snapshot: unknown = JSON.parse(value);
  return isPlainObject(snapshot) ? textOrNull(objectIn(snapshot, 'model')['id']) : null;
}

/** Parts of the program's own that hold words become text. */
function shownPart(value: unknown, notes: Notes): readonly unknown[] {
  if (!isPlainObject(value)) return [value];
  const data = objectIn(value, 'data');
  switch (value['type']) {
    case 'data-code':
      return [
        {
          type: 'text',
          text: `\`\`\`${textOrNull(data['language']) ?? ''}\n${textForm(data['content'] ?? '')}\n\`\`\``,
        },
      ];
    case 'data-compact':
      return [{ type: 'text', text: textForm(data['content'] ?? '') }];
    case 'data-clear':
      notes.leftOut.push('clear');
      return [];
    default:
      return [value];
  }
}
