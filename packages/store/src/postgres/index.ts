import { StoreError } from '../errors.ts';
import type { Target } from './connection/pool.ts';
import { connectDatabase, probe } from './connection/pool.ts';
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
  /** False: never changes the schema, only checks it. */
  readonly migrate?: boolean;
  /** Milliseconds since 1970, for leases; the database's own clock unless given. */
  readonly clock?: () => number;
}

export type PostgresOptions = PostgresSettings &
  (
    | { /** A PostgreSQL server, 15 or newer. */ readonly url: string }
    | { /** Bough's own server, in this directory. */ readonly dataDir: string }
  );

const DEFAULT_POOL_SIZE = 10;
const SMALLEST_POOL_SIZE = 2;
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000;

export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const schema = checkSchema(options.schema ?? 'bough');
  if ('url' in options) return openOn(externalTarget(options.url), schema, options, null);
  const server = await joinEmbeddedServer({ dataDir: options.dataDir });
  return openOn(embeddedTarget(server), schema, options, server);
}

async function openOn(
  target: Target,
  schema: string,
  options: PostgresSettings,
  server: EmbeddedServer | null,
): Promise<PostgresStore> {
  const database = connectDatabase(target, {
    schema,
    poolSize: Math.max(SMALLEST_POOL_SIZE, options.poolSize ?? DEFAULT_POOL_SIZE),
    statementTimeoutMs: options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS,
  });
  try {
    // Our own server was reached just now.
    if (server === null) await probe(target);
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
