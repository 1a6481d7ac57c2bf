import { COMMENTS } from './0020-comments.ts';
import type { Migration } from './migration.ts';

/**
 * For those who look at the database with other tools, and for servers behind a pooler.
 *
 * Every table and column says what it holds. Projects, branches and the trash are listed in the order in which they
 * were stored: that order has an index now. Where no connection can listen, signals are read from a table; they are
 * stored there only while somebody does (`signals/poll.ts`).
 *
 * No large table is rewritten: this takes the same time for a million messages as for none.
 */
export const catalogue: Migration = {
  number: 20,
  name: 'catalogue',
  statements: [
    `CREATE INDEX projects_position ON projects (position)`,
    `CREATE INDEX branches_position ON branches (project_id, position)`,
    `CREATE INDEX trash_position ON trash (position)`,
    `CREATE INDEX trash_of_project ON trash (project_id, position)`,
    `CREATE TABLE signals (
      position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
      payload text NOT NULL,
      sent_at timestamptz NOT NULL DEFAULT now()
    )`,
    `CREATE INDEX signals_transaction ON signals (transaction)`,
    `CREATE TABLE signal_readers (
      id uuid PRIMARY KEY,
      seen_at timestamptz NOT NULL DEFAULT now()
    )`,
    // Together: some hundred round trips would be noticed.
    Object.entries(COMMENTS)
      .flatMap(([table, { is, columns }]) => [
        `COMMENT ON TABLE ${table} IS ${quoted(is)}`,
        ...Object.entries(columns).map(([column, text]) => `COMMENT ON COLUMN ${table}.${column} IS ${quoted(text)}`),
      ])
      .join(';\n'),
  ],
};

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
