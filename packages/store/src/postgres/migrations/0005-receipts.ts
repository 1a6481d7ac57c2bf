import type { Migration } from './migration.ts';

/**
 * Where a transaction leaves its token (`connection/receipts.ts`). A few rows that are overwritten all the time: with
 * room in their pages for the next versions no index is touched, and the table stays small.
 */
export const receipts: Migration = {
  number: 5,
  name: 'receipts',
  statements: [
    `CREATE TABLE receipts (
      slot uuid PRIMARY KEY,
      token uuid NOT NULL,
      written_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 25)`,
  ],
};
