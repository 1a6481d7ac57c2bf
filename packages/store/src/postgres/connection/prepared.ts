import type { Database } from './pool.ts';

/**
 * A statement whose text never changes: PostgreSQL parses and plans it once per connection instead of every time, which
 * takes longer than executing it for the large ones. The plan is kept however the tables grow, so connections never
 * plan to scan a whole table.
 *
 * The text must list the columns that it returns: a statement with `*` would fail once a newer Bough adds a column.
 */
export interface Prepared<Row> {
  readonly text: string;
  /** On a connection from the pool, bypassing the query builder: there is nothing to build. */
  readonly run: (database: Database, values: readonly unknown[]) => Promise<readonly Row[]>;
}

// The name is part of the text as a comment, so the server's own views show which statement runs.
const NAME = /^\/\* (bough_[a-z_]+) \*\//;

export function prepared<Row>(name: string, text: string): Prepared<Row> {
  const named = `/* bough_${name} */ ${text}`;
  return {
    text: named,
    run: async ({ connect }, values) => {
      const client = await connect();
      try {
        return (await client.query<Row>(named, values)).rows;
      } finally {
        client.release();
      }
    },
  };
}

/** The name of a prepared statement; undefined for any other. */
export function preparedName(text: string): string | undefined {
  return NAME.exec(text)?.[1];
}
