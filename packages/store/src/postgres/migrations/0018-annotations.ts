import type { Migration } from './migration.ts';

/**
 * Stars, bookmarks, notes and verdicts, in a table of their own: no query of a conversation touches it, and the rows of
 * nodes stay as they were written.
 */
export const annotations: Migration = {
  number: 18,
  name: 'annotations',
  statements: [
    `CREATE TABLE annotations (
      project_id text COLLATE "C" NOT NULL,
      node_id text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      text text NOT NULL,
      changed_at text COLLATE "C" NOT NULL,
      verdict text,
      blind boolean NOT NULL,
      PRIMARY KEY (project_id, node_id, kind, name),
      FOREIGN KEY (node_id, project_id) REFERENCES nodes (id, project_id) ON DELETE CASCADE
    )`,
  ],
};
