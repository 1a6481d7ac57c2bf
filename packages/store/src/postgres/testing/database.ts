import { onTestFinished } from 'vitest';
import type { Database } from '../connection/pool.ts';
import { connectDatabase } from '../connection/pool.ts';
import type { PostgresStore } from '../index.ts';
import { openPostgresStore } from '../index.ts';
import type { PostgresSettings } from '../index.ts';
import type { TestServer } from './server.ts';

/** Connections to a schema, without a store over it; closed when the test ends. */
export function connectForTest(server: TestServer, schema: string, statementTimeoutMs = 30_000): Database {
  const database = connectDatabase(
    { connection: server.connection, name: 'the test server' },
    { schema, poolSize: 4, statementTimeoutMs },
  );
  onTestFinished(database.close);
  return database;
}

/** A store in a schema of the server; closed when the test ends. */
export async function openForTest(
  server: TestServer,
  schema: string,
  settings: PostgresSettings = {},
): Promise<PostgresStore> {
  const store = await openPostgresStore({ ...server.options(schema), ...settings });
  onTestFinished(store.close);
  return store;
}
