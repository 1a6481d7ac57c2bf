import type { Migration } from './migration.ts';

/** Projects can be pinned, and put into folders. */
export const folders: Migration = {
  number: 12,
  name: 'folders',
  statements: [
    `ALTER TABLE projects ADD COLUMN pinned boolean NOT NULL DEFAULT false, ADD COLUMN folder text COLLATE "C"`,
  ],
};
