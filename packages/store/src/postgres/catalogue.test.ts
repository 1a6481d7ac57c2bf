import { beforeAll, expect, test } from 'vitest';
import { openPostgresStore } from './index.ts';
import { freshSchema, useTestServer } from './testing/server.ts';

const server = useTestServer();
const schema = freshSchema();
const query = async (text: string) => (await server()).query(text.replaceAll('$schema', `'${schema}'`), schema);

beforeAll(async () => {
  const store = await openPostgresStore((await server()).options(schema));
  await store.close();
});

/** Tables that belong to no project: documents, files by their hash, and what servers keep for themselves. */
const OF_NO_PROJECT = [
  'blob_pieces',
  'blobs',
  'migrations',
  'receipts',
  'shelf',
  'signal_readers',
  'signals',
  'trash_blobs',
  'trash_rows',
];

const RELATIONS = `SELECT c.oid, relkind, relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
  WHERE nspname = $schema`;
const TABLES = `${RELATIONS} AND relkind = 'r'`;
const TABLES_AND_VIEWS = `${RELATIONS} AND relkind IN ('r', 'v')`;

test('PG-154: every table, every view and every column says what it holds', async () => {
  const silent = await query(`
    SELECT name || coalesce('.' || attname, '') AS what FROM (${TABLES_AND_VIEWS}) AS tables
    LEFT JOIN LATERAL (
      SELECT attname, attnum FROM pg_attribute WHERE attrelid = oid AND attnum > 0 AND NOT attisdropped
      UNION ALL SELECT NULL, 0
    ) AS columns ON true
    WHERE coalesce(trim(col_description(oid, attnum)), CASE attnum WHEN 0 THEN obj_description(oid, 'pg_class') END, '') = ''
    ORDER BY 1`);
  expect(silent).toStrictEqual([]);
  const [told] = await query(`SELECT count(*)::int AS tables FROM (${TABLES}) AS tables`);
  expect(Number(told?.['tables'])).toBeGreaterThanOrEqual(20);
});

test('PG-157: every time and every JSON that a table holds as text has its own type in the view beside it', async () => {
  const shown = await query(`
    SELECT tables.name || '.' || stored.attname AS what, format_type(typed.atttypid, NULL) AS type
    FROM (${TABLES}) AS tables JOIN pg_attribute stored ON stored.attrelid = tables.oid AND attnum > 0
    LEFT JOIN (${RELATIONS} AND relkind = 'v') AS views ON views.name = tables.name || '_typed'
    LEFT JOIN pg_attribute typed ON typed.attrelid = views.oid AND typed.attname = stored.attname
    WHERE format_type(stored.atttypid, NULL) IN ('text', 'double precision')
      AND col_description(tables.oid, stored.attnum) ~ 'JSON text|ISO 8601|YYYY-MM-DD|since 1970|^When '
      AND tables.name NOT IN ('signals') ORDER BY 1`);
  expect(shown.length).toBeGreaterThan(20);
  const own = ['jsonb', 'timestamp with time zone', 'date'];
  expect(shown.filter(({ type }) => !own.includes(String(type)))).toStrictEqual([]);
});

const ODD_TIMES = {
  '2026-11-18T12:00:00.123456789Z': '2026-11-18T12:00:00.123457+00:00',
  '2026-11-18 14:00:00+02:00': '2026-11-18T12:00:00+00:00',
  '2026-11-18T12:00:00': '2026-11-18T12:00:00+00:00',
  '2026-02-30T12:00:00Z': null,
  yesterday: null,
  '': null,
};
const ODD_JSON = {
  '{"b":1,"a":"\\u0000"}': { a: '\uFFFD', b: 1 },
  '["\\ud83c\\udf33","\\ud83c","\\udf33!"]': ['🌳', '\uFFFD', '\uFFFD!'],
  '["\\uD83C\\uDF33"]': ['🌳'],
  'no JSON': null,
};

test('PG-157: what one value says fails no query over all of them', async () => {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const insert = (id: string, defaults: string, time: string): Promise<unknown> =>
    query(`INSERT INTO projects (id, name, defaults, archived, created_at)
      VALUES (${quoted(id)}, '', ${quoted(defaults)}, false, ${quoted(time)})`);
  for (const time of Object.keys(ODD_TIMES)) await insert(`at ${time}`, '{}', time);
  for (const text of Object.keys(ODD_JSON)) await insert(`with ${text}`, text, '');
  const found = await query(`SELECT id, extract(epoch FROM created_at)::text AS seconds, defaults FROM projects_typed`);
  const of = new Map(found.map((row) => [row['id'], row]));
  for (const [time, read] of Object.entries(ODD_TIMES)) {
    const seconds = of.get(`at ${time}`)?.['seconds'] ?? null;
    expect(seconds === null ? null : Math.floor(Number(seconds) * 1000), time).toBe(
      read === null ? null : Date.parse(read),
    );
  }
  for (const [text, read] of Object.entries(ODD_JSON))
    expect(of.get(`with ${text}`)?.['defaults'], text).toStrictEqual(read);
});

test('PG-156: a table belongs to projects by a column of that name, or is one of the few that belong to none', async () => {
  const found = await query(`
    SELECT name FROM (${TABLES}) AS tables WHERE name <> 'projects'
      AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = oid AND attname = 'project_id') ORDER BY name`);
  expect(found.map(({ name }) => name)).toStrictEqual(OF_NO_PROJECT);
});

/** Unique keys and foreign keys of tables with a project, by the names of their columns. */
const KEYS = `
  SELECT name, conname AS key, contype AS type, confrelid::regclass::text AS other,
    confdeltype IN ('n', 'd') OR confupdtype <> 'a' AS clears,
    ARRAY(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS k (num, nth)
      JOIN pg_attribute ON attrelid = conrelid AND attnum = num ORDER BY nth) AS columns,
    ARRAY(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY AS k (num, nth)
      JOIN pg_attribute ON attrelid = confrelid AND attnum = num ORDER BY nth) AS referred
  FROM (${TABLES}) AS tables JOIN pg_constraint ON conrelid = tables.oid
  WHERE EXISTS (SELECT FROM pg_attribute WHERE attrelid = tables.oid AND attname = 'project_id')`;

test('PG-156: every key of what belongs to a project names the project, so tables can be distributed by it', async () => {
  const unique = await query(`
    SELECT name, index.relname AS key FROM (${TABLES}) AS tables
    JOIN pg_index ON indrelid = tables.oid AND indisunique JOIN pg_class index ON index.oid = indexrelid
    JOIN pg_attribute project ON project.attrelid = tables.oid AND project.attname = 'project_id'
    WHERE project.attnum <> ALL (indkey::int2[]) ORDER BY 1`);
  // An entry of the trash is found by its id alone: its project may be gone. It would be a table of every node.
  expect(unique).toStrictEqual([{ name: 'trash', key: 'trash_pkey' }]);
});

test('PG-156: a foreign key ties a row to its own project alone', async () => {
  const keys = await query(`${KEYS} AND contype = 'f' ORDER BY 1, 2`);
  expect(keys.length).toBeGreaterThan(10);
  const others = keys.filter(({ columns, referred, other }) => {
    const place = (columns as string[]).indexOf('project_id');
    const there = String(other).endsWith('projects') ? 'id' : 'project_id';
    return place < 0 || (referred as string[])[place] !== there;
  });
  // Citus refuses to distribute a table whose key clears columns and holds the project.
  expect(keys.filter(({ clears }) => clears)).toStrictEqual([]);
  // Files are shared between projects: their table is the same on every node (a reference table).
  expect(others.map(({ key, other }) => `${String(key)} to ${String(other)}`)).toStrictEqual([
    'blob_refs_hash_fkey to blobs',
  ]);
});
