import { projectId } from '@bough/core';
import pg from 'pg';
import { expect, test } from 'vitest';
import { buildNode, buildProject, searchIn } from '../../contract/build.ts';
import type { ProjectRecord } from '../../store.ts';
import { openPostgresStore } from '../index.ts';
import { connectForTest, openForTest } from '../testing/database.ts';
import { fillProject } from '../testing/large-project.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';
import type { Migration } from './index.ts';
import { migrate, MIGRATIONS } from './index.ts';

const server = useTestServer();

const table = (number: number, name: string): Migration => ({
  number,
  name,
  statements: [`CREATE TABLE ${name} (n integer)`],
});

async function ledger(schema: string): Promise<readonly unknown[]> {
  const rows = await (await server()).query(`SELECT number, name FROM ${schema}.migrations ORDER BY number`);
  return rows.map(({ number, name }) => [number, name]);
}

async function tablesOf(schema: string): Promise<readonly unknown[]> {
  const rows = await (
    await server()
  ).query(`SELECT table_name FROM information_schema.tables WHERE table_schema = '${schema}' ORDER BY 1`);
  return rows.map(({ table_name: name }) => name);
}

/** Every key, check and index. */
async function rulesOf(schema: string): Promise<readonly unknown[]> {
  const { query } = await server();
  return query(`
    SELECT replace(pg_get_constraintdef(oid), '${schema}.', '') AS rule FROM pg_constraint
    WHERE connamespace = '${schema}'::regnamespace
    UNION ALL SELECT replace(indexdef, '${schema}.', '') FROM pg_indexes WHERE schemaname = '${schema}' ORDER BY 1`);
}

test('PG-14: migrations are numbered from one without a gap, and all are applied in order', async () => {
  expect(MIGRATIONS.map(({ number }) => number)).toStrictEqual(MIGRATIONS.map((_, index) => index + 1));
  const schema = freshSchema();
  await migrate(connectForTest(await server(), schema));
  expect(await ledger(schema)).toStrictEqual(MIGRATIONS.map(({ number, name }) => [number, name]));
});

test('PG-14: servers that start together apply each migration once', async () => {
  const schema = freshSchema();
  const migrations = ['one', 'two', 'three', 'four'].map((name, index) => table(index + 1, name));
  const databases = await Promise.all([1, 2, 3, 4].map(async () => connectForTest(await server(), schema)));
  await Promise.all(databases.map((database) => migrate(database, { migrations })));
  expect(await ledger(schema)).toStrictEqual(migrations.map(({ number, name }) => [number, name]));
});

test('PG-14: a migration that fails leaves nothing of itself, and can be done again', async () => {
  const schema = freshSchema();
  const database = connectForTest(await server(), schema);
  const broken = { ...table(2, 'two'), statements: ['CREATE TABLE two (n integer)', 'CREATE TABLE two (n integer)'] };
  await expect(migrate(database, { migrations: [table(1, 'one'), broken] })).rejects.toMatchObject({
    code: 'database_error',
  });
  expect(await tablesOf(schema)).toStrictEqual(['migrations', 'one']);
  await migrate(database, { migrations: [table(1, 'one'), table(2, 'two')] });
  expect(await tablesOf(schema)).toStrictEqual(['migrations', 'one', 'two']);
});

test.for(MIGRATIONS.slice(0, -1).map(({ number }) => number))(
  'PG-14: what was stored by a program that knew %i of the migrations is there with all of them, and stays whole',
  async (known) => {
    const [older, newest] = [freshSchema(), freshSchema()];
    await migrate(connectForTest(await server(), older), { migrations: MIGRATIONS.slice(0, known) });
    await migrate(connectForTest(await server(), newest));
    const exported: ProjectRecord[][] = [];
    for (const schema of [older, newest]) {
      await fillProject(await server(), schema, 'kept', 100);
      const store = await openForTest(await server(), schema);
      const records: ProjectRecord[] = [];
      for await (const record of store.exportProject(projectId('kept'))) records.push(record);
      exported.push(records);
    }
    expect(exported[0]?.length).toBeGreaterThan(300);
    expect(exported[0]).toStrictEqual(exported[1]);
    expect(await rulesOf(older)).toStrictEqual(await rulesOf(newest));
  },
);

test('PG-15: a schema that is newer than the program is refused and left as it is', async () => {
  const schema = freshSchema();
  const { query, options } = await server();
  const store = await openPostgresStore(options(schema));
  await store.createProject(buildProject());
  await store.close();
  await query(`INSERT INTO ${schema}.migrations (number, name) VALUES (99, 'from the future')`);
  const before = await query(`SELECT * FROM ${schema}.projects`);
  const failure = openPostgresStore(options(schema));
  await expect(failure).rejects.toMatchObject({ code: 'schema_newer', subject: schema });
  await expect(failure).rejects.toThrow(/newer Bough/);
  expect(await query(`SELECT * FROM ${schema}.projects`)).toStrictEqual(before);
});

test('PG-15: a migration that is missing among the applied ones is refused', async () => {
  const schema = freshSchema();
  const { query, options } = await server();
  await (await openPostgresStore(options(schema))).close();
  await query(`DELETE FROM ${schema}.migrations WHERE number = 1`);
  await expect(openPostgresStore(options(schema))).rejects.toMatchObject({ code: 'migration_missing' });
  await query(`INSERT INTO ${schema}.migrations VALUES (1, 'of another program')`);
  await expect(openPostgresStore(options(schema))).rejects.toMatchObject({ code: 'migration_missing' });
  await query(`UPDATE ${schema}.migrations SET name = 'entities' WHERE number = 1`);
  await openForTest(await server(), schema);
});

test('PG-15: where migrations are not to be applied, one that is missing is told and nothing is made', async () => {
  const schema = freshSchema();
  const { options } = await server();
  const failure = openPostgresStore({ ...options(schema), migrate: false });
  await expect(failure).rejects.toMatchObject({ code: 'migration_pending' });
  expect(await tablesOf(schema)).toStrictEqual([]);
  await (await openPostgresStore(options(schema))).close();
  await openForTest(await server(), schema, { migrate: false });
});

test('PG-16: a user who may change no schema can use one, and search needs no extension', async () => {
  const { query, connection } = await server();
  const schema = freshSchema();
  await query(`CREATE ROLE plain LOGIN PASSWORD 'plain'`);
  await query('CREATE DATABASE apart');
  const asPlain = { ...connection(), user: 'plain', password: 'plain', database: 'apart' };
  const apart = { ...(await server()), connection: () => asPlain };
  await expect(migrate(connectForTest(apart, schema))).rejects.toMatchObject({ code: 'access_denied' });

  const asOwner = new pg.Client({ ...connection(), database: 'apart' });
  await asOwner.connect();
  await asOwner.query(`CREATE SCHEMA ${schema} AUTHORIZATION plain`);
  await asOwner.end();
  await migrate(connectForTest(apart, schema));
  const url = `postgres://plain:plain@localhost/apart?host=${encodeURIComponent(asPlain.host ?? '')}`;
  const store = await openPostgresStore({ url, schema, migrate: false });
  try {
    const project = buildProject();
    await store.createProject(project);
    const node = buildNode(project, null, 'A needle in a haystack');
    await store.appendNodes(project.id, [node]);
    expect(await searchIn(store, project, 'NEEDLE')).toStrictEqual([node.id]);
  } finally {
    await store.close();
  }
});
