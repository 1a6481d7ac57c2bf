import type { Migration } from './migration.ts';

/**
 * What was deleted and can be restored. The removed rows are kept as JSON text, one row each, with the name of the
 * table that they came from: the database itself writes them, in the transaction that removes them, and nothing but
 * restoring reads them. No key refers to the project: that may lie in the trash as well.
 */
export const trash: Migration = {
  number: 9,
  name: 'trash',
  statements: [
    `CREATE TABLE trash (
      id text COLLATE "C" PRIMARY KEY,
      position bigint GENERATED ALWAYS AS IDENTITY,
      project_id text COLLATE "C" NOT NULL,
      entry text NOT NULL,
      moves text NOT NULL
    )`,
    `CREATE TABLE trash_rows (
      trash_id text COLLATE "C" NOT NULL REFERENCES trash ON DELETE CASCADE,
      position bigint GENERATED ALWAYS AS IDENTITY,
      kind text COLLATE "C" NOT NULL,
      data text NOT NULL
    )`,
    `CREATE INDEX trash_rows_of_entry ON trash_rows (trash_id, kind, position)`,
  ],
};
