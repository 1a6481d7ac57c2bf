import type { Migration } from './migration.ts';

/**
 * Search finds any part of a text, which only trigrams can index. Where the database user may not install the
 * extensions, search reads the project's nodes instead: slower, but correct.
 */
export const search: Migration = {
  number: 2,
  name: 'search',
  statements: [
    `DO $$
    DECLARE
      trigrams text;
      scalars text;
    BEGIN
      BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
        CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;
      EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR invalid_schema_name THEN
        RETURN;
      END;
      SELECT nspname INTO trigrams FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_trgm';
      SELECT nspname INTO scalars FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'btree_gin';
      EXECUTE format('CREATE INDEX nodes_search ON nodes USING gin (project_id %I.text_ops, folded %I.gin_trgm_ops)', scalars, trigrams);
    END
    $$`,
  ],
};
