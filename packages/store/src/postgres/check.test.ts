import { expect, onTestFinished, test } from 'vitest';
import { openBehindProxy } from './testing/behind-proxy.ts';
import { openForTest } from './testing/database.ts';
import { freshSchema, useTestServer } from './testing/server.ts';
import { statementsOf } from './testing/statements.ts';

const server = useTestServer();

test('PG-31: a store that can write says so, and many who ask at once cost no more than one', async () => {
  const store = await openForTest(await server(), freshSchema());
  const once = await statementsOf(() => store.check());
  const often = await statementsOf(async () => {
    await Promise.all(Array.from({ length: 100 }, () => store.check()));
  });
  expect(once.length).toBeGreaterThan(0);
  expect(often.length).toBeLessThanOrEqual(once.length);
});

test('PG-31: the space that is asked for is really taken on the disk, and given back', async () => {
  const { query } = await server();
  const store = await openForTest(await server(), freshSchema());
  const temporary = async (): Promise<number> =>
    Number((await query(`SELECT sum(temp_bytes)::float8 AS n FROM pg_stat_database`))[0]?.['n']);
  const before = await temporary();
  await store.check();
  await expect.poll(temporary, { timeout: 10_000 }).toBeGreaterThan(before + 4_000_000);
  expect(await query(`SELECT * FROM pg_ls_tmpdir()`)).toStrictEqual([]);
});

test.for(['it is cut off', 'it is silent'] as const)('PG-31: a store without its server says so (%s)', async (how) => {
  const { store, proxy } = await openBehindProxy((await server()).connection());
  if (how === 'it is cut off') proxy.cut();
  else proxy.fallSilent('towards new ones too');
  await expect(store.check()).rejects.toMatchObject({ code: 'store_unreachable' });
  proxy.comeBack();
});

test('PG-31: a store that may only be read says so', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const store = await openForTest(await server(), schema);
  await query(`ALTER ROLE bough SET default_transaction_read_only = on`);
  onTestFinished(async () => {
    await query(`BEGIN READ WRITE; ALTER ROLE bough RESET default_transaction_read_only; COMMIT`);
  });
  await expect(store.check()).rejects.toMatchObject({ code: 'store_read_only' });
});
