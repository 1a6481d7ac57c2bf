import { COMMENTS } from './0020-comments.ts';
import type { Migration } from './migration.ts';

type Reads = 'time' | 'day' | 'milliseconds' | 'json';

/** The columns that a view shows in a type of their own; all others are shown as they are. */
const OWN_TYPES: Readonly<Record<string, Readonly<Record<string, Reads>>>> = {
  projects: { created_at: 'time', defaults: 'json' },
  branches: { created_at: 'time', envelope: 'json', recorded: 'json' },
  turns: { created_at: 'time', lease_until: 'milliseconds' },
  nodes: { created_at: 'time', content_blocks: 'json' },
  calls: { started_at: 'time', first_byte_at: 'time', ended_at: 'time', usage: 'json', exchange: 'json' },
  spending: { day: 'day' },
  annotations: { changed_at: 'time' },
  blobs: { put_at: 'milliseconds' },
  trash: { entry: 'json', moves: 'json' },
  trash_rows: { data: 'json' },
  foreign_documents: { holds: 'json', value: 'json' },
  shelf: { value: 'json' },
};

const EXPRESSIONS: Readonly<Record<Reads, (column: string) => string>> = {
  time: (column) => `as_time(${column})`,
  day: (column) => `(as_time(${column}) AT TIME ZONE 'UTC')::date`,
  milliseconds: (column) => `to_timestamp(${column} / 1000)`,
  json: (column) => `as_json(${column})`,
};

/**
 * Times as `timestamptz` and JSON as `jsonb`, for those who look at the database with other tools.
 *
 * The columns themselves stay text: what is stored must come back to the letter, and neither type does that
 * (`timestamptz` has one form and six digits, `jsonb` orders keys and takes no U+0000). Changing them would also
 * rewrite every message and every index on them, while nobody can write. So each table has a view beside it. What one
 * value says does not fail a query over all of them: a time that is none is null, and a character that `jsonb` cannot
 * hold becomes U+FFFD there.
 *
 * A later migration that changes a column of a table drops its view first and makes it again.
 */
export const typedViews: Migration = {
  number: 21,
  name: 'typed views',
  statements: [
    `CREATE FUNCTION as_time(value text) RETURNS timestamptz LANGUAGE plpgsql STABLE STRICT SET timezone = 'UTC' AS $$
    BEGIN
      RETURN CASE WHEN value ~ '^\\d{4}-' THEN value::timestamptz END;
    EXCEPTION WHEN data_exception THEN
      RETURN NULL;
    END $$`,
    `CREATE FUNCTION as_json(value text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
    BEGIN
      RETURN value::jsonb;
    EXCEPTION WHEN data_exception THEN
      BEGIN
        RETURN regexp_replace(
          value,
          '\\\\u(0000|d[89ab][0-9a-f]{2}(?!\\\\ud[c-f])|(?<!\\\\ud[89ab][0-9a-f]{2}\\\\u)d[c-f][0-9a-f]{2})',
          '\\\\ufffd', 'gi'
        )::jsonb;
      EXCEPTION WHEN data_exception THEN
        RETURN NULL;
      END;
    END $$`,
    `COMMENT ON FUNCTION as_time(text) IS 'A time that is stored as text; one without a zone is in UTC; null if it is none'`,
    `COMMENT ON FUNCTION as_json(text) IS 'JSON that is stored as text; U+FFFD where jsonb cannot hold a character'`,
    ...Object.entries(OWN_TYPES).flatMap(([table, own]) => viewOf(table, own)),
  ],
};

function viewOf(table: string, own: Readonly<Record<string, Reads>>): readonly string[] {
  const described = COMMENTS[table];
  if (described === undefined) throw new Error(`There is no table ${table}.`);
  // What search keeps is made of the other columns.
  const columns = Object.entries(described.columns).filter(([column]) => column !== 'lexemes');
  const shown = columns.map(([column]) => {
    const reads = own[column];
    return reads === undefined ? column : `${EXPRESSIONS[reads](column)} AS ${column}`;
  });
  const comments = columns.map(([column, text]) => {
    const typed = own[column] === 'milliseconds' ? text.replace(/, in milliseconds since 1970/, '') : text;
    return `COMMENT ON COLUMN ${table}_typed.${column} IS ${quoted(typed.replace(/^JSON text: /, 'JSON: '))}`;
  });
  return [
    `CREATE VIEW ${table}_typed AS SELECT ${shown.join(', ')} FROM ${table}`,
    [
      `COMMENT ON VIEW ${table}_typed IS ${quoted(`${described.is}; times and JSON in types of their own`)}`,
      ...comments,
    ].join(';\n'),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
