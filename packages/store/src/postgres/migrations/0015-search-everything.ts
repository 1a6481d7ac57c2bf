import type { Migration } from './migration.ts';

/**
 * Search by lexemes that Bough derives itself, with what every PostgreSQL has: no extension, and no locale decides.
 * They take the place of the text in lower case and its trigrams, which cost more to write and to keep.
 *
 * Deriving them for everything that is stored takes minutes where a million messages are: that is done after the start,
 * in steps (`search/index-later.ts`). Until then they are null, and a small index finds what is left to do.
 */
export const searchEverything: Migration = {
  number: 15,
  name: 'search everything',
  statements: [
    // With it goes the index of its trigrams.
    `ALTER TABLE nodes DROP COLUMN folded, ADD COLUMN lexemes tsvector`,
    `ALTER TABLE projects ADD COLUMN lexemes tsvector`,
    `ALTER TABLE branches ADD COLUMN lexemes tsvector`,
    ...['nodes', 'projects', 'branches'].flatMap((table) => [
      // No statistics: no plan depends on them, and taking them would read every list of lexemes.
      `ALTER TABLE ${table} ALTER COLUMN lexemes SET STATISTICS 0`,
      `CREATE INDEX ${table}_lexemes ON ${table} USING gin (lexemes)`,
      `CREATE INDEX ${table}_without_lexemes ON ${table} (position DESC) WHERE lexemes IS NULL`,
    ]),
    `CREATE INDEX nodes_newest ON nodes (created_at COLLATE "C" DESC, id DESC, project_id DESC)`,
  ],
};
