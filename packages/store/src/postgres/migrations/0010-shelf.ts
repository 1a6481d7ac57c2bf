import type { Migration } from './migration.ts';

/**
 * Documents that belong to no project, and what a call was made for. A call without a purpose made a reply, or tried
 * to.
 */
export const shelf: Migration = {
  number: 10,
  name: 'shelf',
  statements: [
    `CREATE TABLE shelf (
      name text COLLATE "C" PRIMARY KEY,
      version bigint NOT NULL CHECK (version > 0),
      value text NOT NULL
    )`,
    `ALTER TABLE calls ADD COLUMN purpose text`,
  ],
};
