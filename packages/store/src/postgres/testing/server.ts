import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';
import { joinEmbeddedServer } from '../embedded/index.ts';
import type { PostgresOptions } from '../index.ts';

/** A server for tests, which share it in separate schemas. */
export interface TestServer {
  /** The cluster of our own server; null for somebody else's. */
  readonly cluster: string | null;
  /** How a store is opened on it. */
  readonly options: (schema: string) => PostgresOptions;
  readonly connection: () => pg.ClientConfig;
  /** One statement, in a schema if one is named. */
  readonly query: (text: string, schema?: string) => Promise<readonly Record<string, unknown>[]>;
  /** Stops it, or leaves somebody else's as it was. */
  readonly dispose: () => Promise<void>;
}

/**
 * An embedded server in a directory of its own. This process stays joined to it, so closing a store does not stop it.
 */
export async function startTestServer(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-postgres-'));
  const server = await joinEmbeddedServer({ dataDir });
  return {
    cluster: join(server.home, 'cluster'),
    options: (schema) => ({ dataDir, schema }),
    connection: server.connection,
    query: (text, schema) => queryOnce(server.connection(), text, schema),
    dispose: async () => {
      await server.leave();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** One embedded server for the tests of a file, started by the first that needs it. */
export function useTestServer(): () => Promise<TestServer> {
  let starting: Promise<TestServer> | null = null;
  afterAll(async () => {
    await (await starting)?.dispose();
  });
  return () => (starting ??= startTestServer());
}

/** The server that `TEST_DATABASE_URL` names, or null. */
export function externalTestServer(): TestServer | null {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined || url === '') return null;
  return {
    cluster: null,
    options: (schema) => ({ url, schema }),
    connection: () => ({ connectionString: url }),
    query: (text, schema) => queryOnce({ connectionString: url }, text, schema),
    dispose: () => Promise.resolve(),
  };
}

export function freshSchema(): string {
  return `test_${randomBytes(6).toString('hex')}`;
}

async function queryOnce(
  connection: pg.ClientConfig,
  text: string,
  schema?: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    if (schema === undefined) return (await client.query<Record<string, unknown>>(text)).rows;
    // In a transaction, because there may be a pooler in between.
    await client.query('BEGIN');
    await client.query(`SET LOCAL search_path = ${schema}, public`);
    const { rows } = await client.query<Record<string, unknown>>(text);
    await client.query('COMMIT');
    return rows;
  } finally {
    await client.end();
  }
}
