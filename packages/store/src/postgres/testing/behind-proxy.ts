import type pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Database, PoolOptions } from '../connection/pool.ts';
import { connectDatabase } from '../connection/pool.ts';
import { migrate } from '../migrations/index.ts';
import type { PostgresStore } from '../store.ts';
import { storeOver } from '../store.ts';
import { externalTarget } from '../target.ts';
import type { Proxy } from './proxy.ts';
import { startProxy } from './proxy.ts';
import { freshSchema } from './server.ts';

export interface BehindProxy {
  readonly store: PostgresStore;
  readonly database: Database;
  readonly proxy: Proxy;
  readonly schema: string;
}

/** Patient enough for a machine busy with other tests: a test of the patience itself sets its own. */
const PATIENCE_MS = 120_000;

/** A store whose connection to its server can be cut; closed when the test ends. */
export async function openBehindProxy(
  connection: pg.ClientConfig,
  options: Partial<PoolOptions> = {},
): Promise<BehindProxy> {
  const { schema = freshSchema() } = options;
  const proxy = await startProxy(connection);
  onTestFinished(proxy.close);
  const settings = { poolSize: 10, statementTimeoutMs: 30_000, patienceMs: PATIENCE_MS, ...options, schema };
  const database = connectDatabase(externalTarget(proxy.url), settings);
  await migrate(database);
  const store = await storeOver(database, null);
  onTestFinished(store.close);
  return { store, database, proxy, schema };
}
