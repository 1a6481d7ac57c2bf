import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { buildProject } from '../../contract/build.ts';
import { migrate } from '../migrations/index.ts';
import { insertRows } from '../rows/insert.ts';
import { projectRow } from '../rows/project.ts';
import { connectForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';
import type { Database } from './pool.ts';
import { inTransaction, repeatable } from './transaction.ts';

const server = useTestServer();

async function connect(): Promise<Database> {
  const database = connectForTest(await server(), freshSchema());
  await migrate(database);
  return database;
}

const projectIds = async ({ db }: Database): Promise<readonly string[]> =>
  (await db.selectFrom('projects').select('id').execute()).map(({ id }) => id);

const cutOwnConnection = sql`SELECT pg_terminate_backend(pg_backend_pid())`;

test('PG-12: a transaction whose connection breaks before the commit is done again, and once', async () => {
  const database = await connect();
  const project = buildProject();
  let attempts = 0;
  const result = await inTransaction(database, async (trx) => {
    attempts += 1;
    await insertRows(trx, 'projects', [projectRow(project)]);
    if (attempts < 3) await cutOwnConnection.execute(trx);
    return `attempt ${attempts}`;
  });
  expect(result).toBe('attempt 3');
  expect(await projectIds(database)).toStrictEqual([project.id]);
});

test('PG-12: a transaction that broke in its commit and left nothing is done again', async () => {
  const database = await connect();
  // Cuts the connection during the first commit. Sequence numbers are not rolled back.
  await sql`CREATE SEQUENCE commits`.execute(database.db);
  await sql`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF nextval(''commits'') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL; END'
  `.execute(database.db);
  await sql`CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON projects DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION cut()`.execute(database.db);
  const project = buildProject();
  let attempts = 0;
  await inTransaction(database, async (trx) => {
    attempts += 1;
    await insertRows(trx, 'projects', [projectRow(project)]);
  });
  expect(attempts).toBe(2);
  expect(await projectIds(database)).toStrictEqual([project.id]);
});

test('PG-28: a race that is lost many times in a row is won in the end', async () => {
  const database = await connect();
  const project = buildProject();
  let attempts = 0;
  await inTransaction(database, async (trx) => {
    attempts += 1;
    await insertRows(trx, 'projects', [projectRow(project)]);
    if (attempts < 12) await sql`DO 'BEGIN RAISE deadlock_detected; END'`.execute(trx);
  });
  expect(attempts).toBe(12);
  expect(await projectIds(database)).toStrictEqual([project.id]);
});

test('PG-12: of two transactions that wait for each other both are done', async () => {
  const database = await connect();
  const [one, other] = [buildProject(), buildProject()];
  await inTransaction(database, (trx) => insertRows(trx, 'projects', [projectRow(one), projectRow(other)]));
  const begun = new Set<string>();
  const rename = (first: string, second: string) =>
    inTransaction(database, async (trx) => {
      await trx
        .updateTable('projects')
        .set({ name: `after ${first}` })
        .where('id', '=', first)
        .execute();
      begun.add(first);
      // Only the first attempts meet in the middle.
      while (begun.size < 2) await sql`SELECT pg_sleep(0.01)`.execute(trx);
      await trx
        .updateTable('projects')
        .set({ name: `after ${first}` })
        .where('id', '=', second)
        .execute();
    });
  await Promise.all([rename(one.id, other.id), rename(other.id, one.id)]);
  const names = (await database.db.selectFrom('projects').select('name').execute()).map(({ name }) => name);
  expect(new Set(names).size).toBe(1);
});

test('PG-12: connections that break neither leak nor end the process', async () => {
  const database = await connect();
  for (let round = 0; round < 12; round += 1) {
    let cut = false;
    await repeatable(database, async (db) => {
      if (!cut) {
        cut = true;
        await cutOwnConnection.execute(db);
      }
      return sql`SELECT 1`.execute(db);
    });
  }
  // More rounds than the pool has connections: if one had not been returned, this would wait for ever.
  expect(await projectIds(database)).toStrictEqual([]);
});
