import type { Migration } from './migration.ts';

/**
 * What closed turns became in the requests to each model. A cache: the table may be emptied at any time. Its bytes are
 * not compressed, because every request reads those of its whole path.
 */
export const cachedTurns: Migration = {
  number: 7,
  name: 'cached turns',
  statements: [
    `CREATE TABLE cached_turns (
      project_id text COLLATE "C" NOT NULL,
      node_id text COLLATE "C" NOT NULL,
      slot text COLLATE "C" NOT NULL,
      key text NOT NULL,
      facts text NOT NULL,
      bytes text NOT NULL,
      PRIMARY KEY (node_id, slot, project_id),
      CONSTRAINT cached_turns_node FOREIGN KEY (node_id, project_id)
        REFERENCES nodes (id, project_id) ON DELETE CASCADE
    )`,
    `ALTER TABLE cached_turns ALTER COLUMN bytes SET STORAGE EXTERNAL`,
    `ALTER TABLE cached_turns ALTER COLUMN project_id SET STATISTICS 0`,
  ],
};
