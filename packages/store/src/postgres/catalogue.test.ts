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

const TABLES = `SELECT c.oid, relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
  WHERE nspname = $schema AND relkind = 'r'`;

test('PG-154: every table and every column says what it holds', async () => {
  const silent = await query(`
    SELECT name || coalesce('.' || attname, '') AS what FROM (${TABLES}) AS tables
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

test('PG-156: a table belongs to projects by a column of that name, or is one of the few that belong to none', async () => {
  const found = await query(`
    SELECT name FROM (${TABLES}) AS tables WHERE name <> 'projects'
      AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = oid AND attname = 'project_id') ORDER BY name`);
  expect(found.map(({ name }) => name)).toStrictEqual(OF_NO_PROJECT);
});

/** Unique keys and foreign keys of tables with a project, by the names of their columns. */
const KEYS = `
  SELECT name, conname AS key, contype AS type, confrelid::regclass::text AS other,
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
  // Files are shared between projects: their table is the same on every node (a reference table).
  expect(others.map(({ key, other }) => `${String(key)} to ${String(other)}`)).toStrictEqual([
    'blob_refs_hash_fkey to blobs',
  ]);
});
