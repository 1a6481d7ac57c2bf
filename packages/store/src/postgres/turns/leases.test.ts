import { expect, test } from 'vitest';
import { beginTurn, seedProject } from '../../contract/build.ts';
import { openForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';

const server = useTestServer();

test('PG-25: leases run by the clock that was given', async () => {
  let now = 1_000_000;
  const store = await openForTest(await server(), freshSchema(), { clock: () => now });
  const { project, branch } = await seedProject(store);
  const { turn } = await beginTurn(store, project, branch, null, 'first', 60_000);
  now += 60_000;
  expect(await store.claimExpiredTurns('second', 60_000)).toStrictEqual([]);
  now += 1;
  expect(await store.claimExpiredTurns('second', 60_000)).toStrictEqual([turn]);
});

test('PG-25: without one they run by the clock of the database, on which all servers agree', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const store = await openForTest(await server(), schema);
  const { project, branch } = await seedProject(store);
  await beginTurn(store, project, branch, null, 'first', 60_000);
  const [row] = await query(`
    SELECT lease_until - extract(epoch FROM now()) * 1000 AS left FROM ${schema}.turns`);
  expect(Number(row?.['left'])).toBeGreaterThan(0);
  expect(Number(row?.['left'])).toBeLessThanOrEqual(60_000);
});
