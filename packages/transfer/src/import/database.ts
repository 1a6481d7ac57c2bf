import { BoughError } from '@bough/core';
import { basename } from 'node:path';
import type { SqliteFile, SqliteOptions, SqliteRow } from '../sqlite/index.ts';
import { openSqlite } from '../sqlite/index.ts';
import type { ForeignConversation } from './conversation.ts';
import { readCherryTopic } from './formats/cherry-studio/database.ts';
import { readFlatConversation } from './formats/flat/index.ts';
import { lowered } from './formats/flat/rows.ts';
import { readOpenWebUi } from './formats/open-webui/index.ts';
import { WHAT_HELPS } from './seen.ts';

/** One conversation of a database, not yet read. */
export interface StoredConversation {
  readonly where: string;
  readonly read: () => readonly ForeignConversation[];
}

interface DatabaseFormat {
  readonly tables: readonly string[];
  readonly conversations: (database: SqliteFile, name: string) => Generator<StoredConversation, void>;
}

/** Databases of other programs, told by their tables. Conversations are read one after the other. */
const FORMATS: readonly DatabaseFormat[] = [
  { tables: ['Conversations', 'ChatMessages'], conversations: smallEBot },
  { tables: ['topic', 'message', 'assistant'], conversations: cherryStudio },
  { tables: ['chat', 'user', 'config'], conversations: openWebUi },
];

export async function* readDatabase(path: string, options: SqliteOptions): AsyncGenerator<StoredConversation, void> {
  const database = await openSqlite(path, options);
  try {
    const tables = new Set(database.tables());
    const format = FORMATS.find((each) => each.tables.every((table) => tables.has(table)));
    if (format === undefined) {
      const seen = tables.size === 0 ? 'no table' : `the tables ${[...tables].slice(0, 8).join(', ')}`;
      throw new BoughError(
        'unknown_source',
        `${basename(path)}: This SQLite database has ${seen}, which is no known program's. ${WHAT_HELPS}`,
      );
    }
    yield* format.conversations(database, basename(path));
  } finally {
    await database.close();
  }
}

function* smallEBot(database: SqliteFile, name: string): Generator<StoredConversation, void> {
  const tables = new Set(database.tables());
  const rows = (table: string, id: string): Readonly<Record<string, unknown>>[] =>
    // Tools and thoughts came with later versions.
    tables.has(table) ? [...database.rows(`SELECT * FROM "${table}" WHERE ConversationId = ?`, id)].map(lowered) : [];
  const conversations = Array.from(database.rows('SELECT * FROM Conversations'));
  for (const conversation of conversations) {
    const id = String(conversation['Id']);
    yield {
      where: `conversation ${id}`,
      read: () => [
        readFlatConversation(
          {
            fields: lowered(conversation),
            rows: {
              turns: rows('ConversationTurns', id),
              messages: rows('ChatMessages', id),
              thinkBlocks: rows('ThinkBlocks', id),
              toolCalls: rows('ToolCalls', id),
            },
          },
          `${name} ${id}`,
        ),
      ],
    };
  }
}

function* cherryStudio(database: SqliteFile, name: string): Generator<StoredConversation, void> {
  const assistants = new Map<unknown, SqliteRow>();
  for (const row of database.rows('SELECT * FROM assistant')) assistants.set(row['id'], row);
  // What the person threw away is told with the first topic, and not brought back.
  const [deleted] = database.rows('SELECT count(*) AS found FROM topic WHERE deleted_at IS NOT NULL');
  const leftOut = Array.from({ length: Number(deleted?.['found'] ?? 0) }, () => 'deleted topic');
  const topics = Array.from(database.rows('SELECT * FROM topic WHERE deleted_at IS NULL ORDER BY created_at, id'));
  for (const topic of topics) {
    const id = String(topic['id']);
    const messages = (): SqliteRow[] => [
      ...database.rows('SELECT * FROM message WHERE topic_id = ? ORDER BY created_at, id', id),
    ];
    yield {
      where: `topic ${id}`,
      read: () => {
        const found = readCherryTopic(topic, messages(), assistants.get(topic['assistant_id']) ?? null, name);
        return [{ ...found, leftOut: [...leftOut.splice(0), ...found.leftOut] }];
      },
    };
  }
}

function* openWebUi(database: SqliteFile, name: string): Generator<StoredConversation, void> {
  const ids = [...database.rows('SELECT id FROM chat ORDER BY created_at, id')].map(({ id }) => String(id));
  for (const id of ids) {
    yield {
      where: `chat ${id}`,
      read: () =>
        [...database.rows('SELECT * FROM chat WHERE id = ?', id)].flatMap((row) => {
          const isTrue = (value: unknown): boolean => value === 1;
          const chat: unknown = typeof row['chat'] === 'string' ? JSON.parse(row['chat']) : row['chat'];
          const meta: unknown = typeof row['meta'] === 'string' ? JSON.parse(row['meta']) : null;
          return readOpenWebUi(
            { ...row, chat, meta, archived: isTrue(row['archived']), pinned: isTrue(row['pinned']) },
            name,
          );
        }),
    };
  }
}
