import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { buildNode, buildProject, seedProject } from '../../contract/build.ts';
import { migrate } from '../migrations/index.ts';
import { insertRows } from '../rows/insert.ts';
import { projectRow } from '../rows/project.ts';
import { connectForTest, openForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';
import type { Receipt } from './receipts.ts';
import { isThere } from './receipts.ts';
import { inTransaction, repeatable } from './transaction.ts';

const server = useTestServer();

test('PG-12: receipts take as many rows as transactions are under way at once, and none when the store is closed', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const rows = async (): Promise<number> =>
    Number((await query(`SELECT count(*) AS n FROM ${schema}.receipts`))[0]?.['n']);
  const store = await openForTest(await server(), schema, { poolSize: 3 });
  const { project } = await seedProject(store);
  for (let round = 0; round < 5; round += 1) {
    const nodes = Array.from({ length: 40 }, (_, at) => buildNode(project, null, `${round} ${at}`));
    await Promise.all(nodes.map((node) => store.appendNodes(project.id, [node])));
  }
  expect(await rows()).toBeGreaterThan(0);
  expect(await rows()).toBeLessThanOrEqual(3);
  const writtenBy = (age: string): string =>
    `INSERT INTO ${schema}.receipts VALUES (gen_random_uuid(), gen_random_uuid(), now() - interval '${age}')`;
  await query(writtenBy('25 hours'));
  await query(writtenBy('1 hour'));
  await store.close();
  // Another process's row, which it may still need.
  expect(await rows()).toBe(1);
});

test('PG-12: a transaction that wrote nothing leaves no receipt, and costs no commit to the disk', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const store = await openForTest(await server(), schema);
  expect(await store.claimExpiredTurns('heir', 1000)).toStrictEqual([]);
  expect(await query(`SELECT * FROM ${schema}.receipts`)).toStrictEqual([]);
});

test('PG-12: whoever asks for the receipt of a transaction that is still open waits for its end', async () => {
  const schema = freshSchema();
  const database = connectForTest(await server(), schema);
  await migrate(database);
  const { connection } = await server();
  const other = new pg.Client({ ...connection(), options: `-c search_path=${schema}` });
  await other.connect();
  onTestFinished(() => other.end());
  // First a new slot, which a reader would not see yet; then the same slot again.
  const receipt = database.receipts.take();
  for (const [end, answer] of [
    ['ROLLBACK', false],
    ['COMMIT', true],
    ['COMMIT', true],
  ] as const) {
    const written: Receipt = { ...receipt, token: database.receipts.take().token };
    await other.query('BEGIN');
    await other.query('INSERT INTO receipts VALUES ($1, $2) ON CONFLICT (slot) DO UPDATE SET token = excluded.token', [
      written.slot,
      written.token,
    ]);
    const asked = isThere(database, written);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ask_receipt%'`;
    const { query } = await server();
    await expect.poll(async () => (await query(waiting)).length, { timeout: 10_000 }).toBe(1);
    await other.query(end);
    expect(await asked).toBe(answer);
  }
});

test('PG-12: an empty slot proves nothing to a process that slept until it was swept', async () => {
  const database = connectForTest(await server(), freshSchema());
  await migrate(database);
  const fresh = database.receipts.take();
  expect(await isThere(database, fresh)).toBe(false);
  const stale = { ...database.receipts.take(), takenAt: Date.now() - 24 * 3_600_000 };
  expect(await isThere(database, stale)).toBe(null);
});

test('PG-32: commits wait for the disk also where the server would not let them', async () => {
  const { query } = await server();
  onTestFinished(async () => {
    await query('ALTER ROLE bough RESET synchronous_commit');
  });
  const used = async (setting: string): Promise<unknown> => {
    await query(`ALTER ROLE bough SET synchronous_commit = ${setting}`);
    const database = connectForTest(await server(), freshSchema());
    await migrate(database);
    await inTransaction(database, (trx) => insertRows(trx, 'projects', [projectRow(buildProject())]));
    return repeatable(database, async (db) => {
      const { rows } = await sql<{ value: string }>`SELECT current_setting('synchronous_commit') AS value`.execute(db);
      return rows[0]?.value;
    });
  };
  expect(await used('off')).toBe('on');
  expect(await used('remote_apply')).toBe('remote_apply');
});
