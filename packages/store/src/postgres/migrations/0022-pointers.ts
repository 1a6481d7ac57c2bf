import type { Migration } from './migration.ts';

/**
 * A branch's two pointers into the tree stop their nodes from being removed, instead of becoming null on their own:
 * where they go is decided by those who remove nodes, before they do. Databases that distribute tables by project
 * (Citus) refuse a key that clears columns when it holds the project as well.
 *
 * Only branches are checked again: there are few.
 */
export const pointers: Migration = {
  number: 22,
  name: 'pointers',
  statements: [
    `ALTER TABLE branches DROP CONSTRAINT branches_tip, DROP CONSTRAINT branches_forked_from,
      ADD CONSTRAINT branches_tip FOREIGN KEY (tip_id, project_id) REFERENCES nodes (id, project_id),
      ADD CONSTRAINT branches_forked_from FOREIGN KEY (forked_from_id, project_id) REFERENCES nodes (id, project_id)`,
  ],
};
