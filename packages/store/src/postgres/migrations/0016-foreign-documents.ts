import type { Migration } from './migration.ts';

/**
 * What other programs keep with a project and Bough has no place for. It is written when a project arrives and read
 * when it leaves: no query of a conversation touches it.
 */
export const foreignDocuments: Migration = {
  number: 16,
  name: 'foreign documents',
  statements: [
    `CREATE TABLE foreign_documents (
      project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
      name text COLLATE "C" NOT NULL,
      holds text NOT NULL,
      value text NOT NULL,
      PRIMARY KEY (project_id, name)
    )`,
  ],
};
