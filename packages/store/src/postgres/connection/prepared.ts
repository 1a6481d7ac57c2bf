import type { Kysely } from 'kysely';
import { CompiledQuery } from 'kysely';
import type { Tables } from '../tables.ts';

/**
 * A statement whose text never changes: PostgreSQL reads and plans it once for each connection instead of every time, which for the large
 * ones takes longer than carrying them out. The plan is kept whatever the tables become, so connections never plan to read a table through.
 *
 * The text must list the columns that it returns: a statement with a `*` would fail once a newer server adds a column.
 */
export interface Prepared<Row> {
  readonly text: string;
  readonly run: (db: Kysely<Tables>, values: readonly unknown[]) => Promise<readonly Row[]>;
}

// The name travels as a comment: it passes through the query builder, and shows in the server's own views which statement runs.
const NAME = /^\/\* (bough_[a-z_]+) \*\//;

export function prepared<Row>(name: string, text: string): Prepared<Row> {
  const named = `/* bough_${name} */ ${text}`;
  return {
    text: named,
    run: async (db, values) => {
      const { rows } = await db.executeQuery<Row>({ ...CompiledQuery.raw(named), parameters: values });
      return rows;
    },
  };
}

/** The name of a prepared statement; undefined for any other. */
export function preparedName(text: string): string | undefined {
  return NAME.exec(text)?.[1];
}
