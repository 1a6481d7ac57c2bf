import type { Database } from './pool.ts';

/**
 * A statement whose text never changes: PostgreSQL reads and plans it once for each connection instead of every time,
 * which for the large ones takes longer than carrying them out. The plan is kept whatever the tables become, so
 * connections never plan to read a table through.
 *
 * The text must list the columns that it returns: a statement with a `*` would fail once a newer server adds a column.
 */
export interface Prepared<Row> {
  readonly text: string;
  /** On a connection of the pool, past the query builder: it has nothing to build. */
  readonly run: (database: Database, values: readonly unknown[]) => Promise<readonly Row[]>;
}

// The name travels as a comment: it shows in the server's own views which statement runs.
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
