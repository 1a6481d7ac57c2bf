import { StoreError } from '../errors.ts';
import type { PoolOptions, Target } from './connection/pool.ts';
import { connectDatabase } from './connection/pool.ts';
import { probe } from './connection/probe.ts';
import type { EmbeddedServer } from './embedded/index.ts';
import { joinEmbeddedServer } from './embedded/index.ts';
import { migrate } from './migrations/index.ts';
import type { PostgresStore } from './store.ts';
import { storeOver } from './store.ts';
import { embeddedTarget, externalTarget } from './target.ts';

export type { PostgresStore } from './store.ts';

export interface PostgresSettings {
  /** The schema that holds the tables; created if missing. */
  readonly schema?: string;
  /** At least two: an export occupies one while it is read. */
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  /** Whether a pooler is in front of the server; found out unless given. */
  readonly isPooled?: boolean;
  /** False: never changes the schema, only checks it. */
  readonly migrate?: boolean;
  /** Milliseconds since 1970, for leases; the database's own clock unless given. */
  readonly clock?: () => number;
}

export type PostgresOptions = PostgresSettings &
  (
    | {
        /** A PostgreSQL server, 15 or newer, or a pooler in front of one. */
        readonly url: string;
        /** The server behind the pooler, for the one connection that listens. Without it, signals are polled for. */
        readonly directUrl?: string;
      }
    | { /** Bough's own server, in this directory. */ readonly dataDir: string }
  );

const DEFAULT_POOL_SIZE = 10;
const SMALLEST_POOL_SIZE = 2;
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000;

export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const schema = checkSchema(options.schema ?? 'bough');
  if ('url' in options) {
    const { url, directUrl } = options;
    const direct = directUrl === undefined ? {} : { direct: externalTarget(directUrl, 'DATABASE_DIRECT_URL') };
    const target = externalTarget(url);
    const isPooled = options.isPooled ?? (await probe(target, settingsOf(schema, options))).isPooled;
    return openOn(target, { ...settingsOf(schema, options), ...direct, isPooled }, options, null);
  }
  const server = await joinEmbeddedServer({ dataDir: options.dataDir });
  return openOn(embeddedTarget(server), settingsOf(schema, options), options, server);
}

function settingsOf(schema: string, options: PostgresSettings): PoolOptions {
  return {
    schema,
    poolSize: Math.max(SMALLEST_POOL_SIZE, options.poolSize ?? DEFAULT_POOL_SIZE),
    statementTimeoutMs: options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS,
  };
}

async function openOn(
  target: Target,
  pool: PoolOptions,
  options: PostgresSettings,
  server: EmbeddedServer | null,
): Promise<PostgresStore> {
  const database = connectDatabase(target, pool);
  try {
    await migrate(database, { apply: options.migrate ?? true });
    const store = await storeOver(database, options.clock ?? null);
    return {
      ...store,
      close: async () => {
        await store.close();
        await server?.leave();
      },
    };
  } catch (error) {
    await database.close();
    await server?.leave();
    throw error;
  }
}

/** The name becomes part of the connection settings, where quoting is error-prone. */
function checkSchema(schema: string): string {
  if (/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) return schema;
  throw new StoreError(
    'invalid_schema_name',
    schema,
    `"${schema}" cannot be the name of the schema: use lower-case letters, digits and underscores.`,
  );
}
