import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildProject } from '../contract/build.ts';
import { connectDatabase } from './connection/pool.ts';
import { openPostgresStore } from './index.ts';
import { externalTarget } from './target.ts';
import { connectForTest, openForTest } from './testing/database.ts';
import { freshSchema, useTestServer } from './testing/server.ts';
import { repeatable } from './connection/transaction.ts';

const server = useTestServer();

/** The test server as a URL, with parts of it replaced. */
async function urlOf(given: { user?: string; password?: string; database?: string } = {}): Promise<string> {
  const { host = '', user, password, database } = { ...(await server()).connection(), ...given };
  const login = `${encodeURIComponent(user ?? '')}:${encodeURIComponent(String(password))}`;
  return `postgres://${login}@localhost/${database}?host=${encodeURIComponent(host)}`;
}

async function failureOf(url: string): Promise<Error & { code: string }> {
  try {
    await (await openPostgresStore({ url, schema: freshSchema() })).close();
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error('the store opened');
}

test('PG-11: a server of somebody else is used by its URL, settings in the URL included', async () => {
  const url = `${await urlOf()}&options=${encodeURIComponent('-c work_mem=5MB')}`;
  const store = await openPostgresStore({ url, schema: freshSchema() });
  const project = buildProject();
  await store.createProject(project);
  expect(await store.listProjects()).toStrictEqual([project]);
  await store.close();
  const database = connectDatabase(externalTarget(url), { schema: 'public', poolSize: 2, statementTimeoutMs: 1000 });
  onTestFinished(database.close);
  const { rows } = await sql<{ value: string }>`SELECT current_setting('work_mem') AS value`.execute(database.db);
  expect(rows).toStrictEqual([{ value: '5MB' }]);
});

test('PG-11: a wrong password is told, without the password', async () => {
  const failure = await failureOf(await urlOf({ password: 'hunter2-is-wrong' }));
  expect(failure.code).toBe('access_denied');
  expect(failure.message).toContain('DATABASE_URL');
  expect(`${failure.message} ${failure.stack} ${JSON.stringify(failure)}`).not.toContain('hunter2');
});

test('PG-11: a database that is not there is told', async () => {
  expect(await failureOf(await urlOf({ database: 'nowhere' }))).toMatchObject({ code: 'database_missing' });
});

test('PG-11: a server that is not there is told at once', async () => {
  const socket = createServer();
  await new Promise<void>((resolve) => {
    socket.listen(0, '127.0.0.1', resolve);
  });
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => {
    socket.close(resolve);
  });
  const failure = await failureOf(`postgres://u:hunter2@127.0.0.1:${port}/db`);
  expect(failure).toMatchObject({ code: 'store_unreachable', subject: `127.0.0.1:${port}/db` });
  expect(failure.message).not.toContain('hunter2');
});

test('PG-11: what is no URL is told without repeating it', async () => {
  for (const url of ['hunter2', 'postgres://us er:hunter2@[', 'mysql://u:hunter2@h/d']) {
    const failure = await failureOf(url);
    expect(failure.code).toBe('invalid_database_url');
    expect(failure.message).not.toContain('hunter2');
  }
});

test('PG-13: a statement that takes too long is stopped, and says so', async () => {
  const database = connectForTest(await server(), 'public', 20);
  const slow = repeatable(database, (db) => sql`SELECT pg_sleep(5)`.execute(db));
  await expect(slow).rejects.toMatchObject({ code: 'statement_timeout' });
});

test('PG-13: no more connections than the pool may have are opened', async () => {
  const { query } = await server();
  const schema = freshSchema();
  const store = await openForTest(await server(), schema, { poolSize: 3 });
  await Promise.all(Array.from({ length: 12 }, () => store.listProjects()));
  const connections = `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name = 'bough'`;
  // Three in the pool and the one that listens; those of earlier tests may take a moment to close.
  await vi.waitFor(async () => expect(await query(connections)).toStrictEqual([{ n: 4 }]), { timeout: 10_000 });
});

test('PG-13: a schema name that would need quoting is refused', async () => {
  await expect(openPostgresStore({ url: await urlOf(), schema: 'Robert"; --' })).rejects.toMatchObject({
    code: 'invalid_schema_name',
  });
});

test('PG-11: a read-only server is told, and reading goes on', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const first = await openForTest(await server(), schema);
  const project = buildProject();
  await first.createProject(project);
  await first.close();
  await query(`ALTER ROLE bough SET default_transaction_read_only = on`);
  onTestFinished(async () => {
    await query(`BEGIN READ WRITE; ALTER ROLE bough RESET default_transaction_read_only; COMMIT`);
  });
  const store = await openForTest(await server(), schema);
  expect(await store.listProjects()).toStrictEqual([project]);
  await expect(store.createProject(buildProject())).rejects.toMatchObject({ code: 'store_read_only' });
  expect(await store.listProjects()).toStrictEqual([project]);
});
