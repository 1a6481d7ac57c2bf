import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresStore } from '@bough/store';
import { openPostgresStore } from '@bough/store';
import pg from 'pg';

/** The one PostgreSQL that every contestant uses: Bough's embedded one, with the settings that Bough gives it. */
export interface BenchServer {
  readonly connection: pg.ClientConfig;
  readonly openStore: (schema: string) => Promise<PostgresStore>;
  readonly query: (text: string) => Promise<readonly Record<string, unknown>[]>;
  readonly stop: () => Promise<void>;
}

export async function startBenchServer(dataDir: string): Promise<BenchServer> {
  // Held open to the end: the server stops when the last store closes.
  const held = await openPostgresStore({ dataDir, schema: 'held' });
  const home = join(dataDir, 'postgres');
  const password = (await readFile(join(home, 'cluster', 'bough.password'), 'utf8')).trim();
  const connection = { host: join(home, 'socket'), port: 5432, user: 'bough', database: 'postgres', password };
  const client = new pg.Client(connection);
  await client.connect();
  return {
    connection,
    openStore: (schema) => openPostgresStore({ dataDir, schema, statementTimeoutMs: 600_000 }),
    query: async (text) => (await client.query<Record<string, unknown>>(text)).rows,
    stop: async () => {
      await client.end();
      await held.close();
    },
  };
}

/** Tables, indexes and everything else that PostgreSQL keeps for them. */
export async function bytesOfSchema(server: BenchServer, schema: string): Promise<number> {
  const [row] = await server.query(
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'`,
  );
  return Number(row?.['bytes']);
}
