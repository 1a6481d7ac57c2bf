import type { ProjectId } from '@bough/core';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { beginTurn, seedProject } from '../contract/build.ts';
import { describeEveryRule } from '../contract/suite.ts';
import type { StoreSignal } from '../store.ts';
import { connectDatabase } from './connection/pool.ts';
import type { PostgresOptions, PostgresStore } from './index.ts';
import { openPostgresStore } from './index.ts';
import { contractOn } from './testing/contract.ts';
import type { Pooler } from './testing/pooler.ts';
import { startPooler } from './testing/pooler.ts';
import { startProxy } from './testing/proxy.ts';
import type { TestServer } from './testing/server.ts';
import { freshSchema, startTestServer } from './testing/server.ts';
import { externalTarget } from './target.ts';

let server: TestServer;
let pooler: Pooler;

beforeAll(async () => {
  server = await startTestServer();
  pooler = await startPooler(server.connection());
});

afterAll(async () => {
  await pooler.close();
  await server.dispose();
});

const through = (schema: string): PostgresOptions => ({ url: pooler.url, schema });

describeEveryRule(
  'postgres, behind a pooler in transaction mode',
  contractOn(() => Promise.resolve({ ...server, options: through })),
);

async function opened(options: PostgresOptions): Promise<PostgresStore> {
  const store = await openPostgresStore(options);
  onTestFinished(store.close);
  return store;
}

function heardBy(store: PostgresStore, project: ProjectId): StoreSignal[] {
  const heard: StoreSignal[] = [];
  store.subscribe((signal) => {
    if (signal.projectId === project) heard.push(signal);
  });
  return heard;
}

const stored = (schema: string): Promise<readonly Record<string, unknown>[]> =>
  server.query('SELECT payload FROM signals', schema);

const WAIT = { timeout: 30_000 };

test("PG-151: transactions run on any of the server's connections, and leave nothing behind in them", async () => {
  const store = await opened(through(freshSchema()));
  const before = pooler.carried().transactions;
  const { project } = await seedProject(store);
  for (let time = 0; time < 8; time += 1) await store.getProject(project.id);
  const { transactions, connections } = pooler.carried();
  expect(connections).toBe(4);
  expect(transactions - before).toBeGreaterThanOrEqual(9);
});

test('PG-151: a statement that fails outside of a transaction leaves the connection as good as before', async () => {
  const database = connectDatabase(externalTarget(pooler.url), {
    schema: freshSchema(),
    poolSize: 1,
    statementTimeoutMs: 30_000,
    isPooled: true,
  });
  onTestFinished(database.close);
  await expect(sql`SELECT 1 / 0`.execute(database.db)).rejects.toThrow('division by zero');
  const { rows } = await sql<{ path: string }>`SELECT current_setting('search_path') AS path`.execute(database.db);
  expect(rows).toStrictEqual([{ path: `${database.schema},public` }]);
});

test('PG-152: a pooler that ignores the settings of a connection is recognised: no table gets into another schema', async () => {
  const ignoring = await startPooler(server.connection(), { settings: 'ignored' });
  onTestFinished(ignoring.close);
  const schema = freshSchema();
  const store = await opened({ url: ignoring.url, schema });
  const { project } = await seedProject(store);
  expect(await server.query('SELECT id FROM projects', schema)).toStrictEqual([{ id: project.id }]);
  expect(
    await server.query(`SELECT FROM pg_class WHERE relname = 'projects' AND relnamespace = 'public'::regnamespace`),
  ).toStrictEqual([]);
});

test('PG-153: signals are stored while a server reads them, reach it in order, and others as ever', async () => {
  const schema = freshSchema();
  const listening = await opened({ ...server.options(schema) });
  const { project, branch } = await seedProject(listening);
  await listening.publish({ type: 'changed', projectId: project.id });
  expect(await stored(schema)).toStrictEqual([]);

  const polling = await opened(through(schema));
  const { turn } = await beginTurn(listening, project, branch, null);
  const [heardThere, heardHere] = [heardBy(listening, project.id), heardBy(polling, project.id)];
  const signals = Array.from({ length: 20 }, (_, index): StoreSignal => ({
    type: 'progress',
    projectId: project.id,
    turnId: turn.id,
    seq: index + 1,
  }));
  for (const [index, signal] of signals.entries()) await (index % 2 === 0 ? listening : polling).publish(signal);
  await vi.waitFor(() => expect(heardHere).toStrictEqual(signals), WAIT);
  await vi.waitFor(() => expect(heardThere).toStrictEqual(signals), WAIT);
});

test('PG-153: with the address of the server itself, one connection listens and nothing is stored', async () => {
  const schema = freshSchema();
  const direct = await startProxy(server.connection());
  onTestFinished(direct.close);
  const store = await opened({ ...through(schema), url: pooler.url, directUrl: direct.url });
  const { project } = await seedProject(store);
  const heard = heardBy(store, project.id);
  const signal: StoreSignal = { type: 'changed', projectId: project.id };
  await store.publish(signal);
  await vi.waitFor(() => expect(heard).toStrictEqual([signal]), WAIT);
  expect(await stored(schema)).toStrictEqual([]);
});

test('PG-153: a reader that was forgotten begins anew, and is told what it may have missed', async () => {
  const schema = freshSchema();
  const store = await opened(through(schema));
  const { project, branch } = await seedProject(store);
  const { turn } = await beginTurn(store, project, branch, null);
  await store.appendLog(project.id, turn.id, [{ seq: 1, data: '{}' }]);
  const heard = heardBy(store, project.id);
  await server.query('DELETE FROM signal_readers', schema);
  await vi.waitFor(
    () => expect(heard).toContainEqual({ type: 'progress', projectId: project.id, turnId: turn.id, seq: 1 }),
    WAIT,
  );
  heard.length = 0;
  await store.publish({ type: 'changed', projectId: project.id });
  await vi.waitFor(() => expect(heard).toContainEqual({ type: 'changed', projectId: project.id }), WAIT);
});
