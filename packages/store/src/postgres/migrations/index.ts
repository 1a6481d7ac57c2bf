import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import { StoreError } from '../../errors.ts';
import type { Database } from '../connection/pool.ts';
import { TAKES_LONG } from '../connection/settings.ts';
import { repeatable } from '../connection/transaction.ts';
import type { Tables } from '../tables.ts';
import { entities } from './0001-entities.ts';
import { search } from './0002-search.ts';
import { steadyPlans } from './0003-steady-plans.ts';
import { leanIndexes } from './0004-lean-indexes.ts';
import { receipts } from './0005-receipts.ts';
import { noResponseId } from './0006-no-response-id.ts';
import { cachedTurns } from './0007-cached-turns.ts';
import { replayBy } from './0008-replay-by.ts';
import { trash } from './0009-trash.ts';
import { shelf } from './0010-shelf.ts';
import { toolTimes } from './0011-tool-times.ts';
import { folders } from './0012-folders.ts';
import { blobs } from './0013-blobs.ts';
import { gateway } from './0014-gateway.ts';
import { searchEverything } from './0015-search-everything.ts';
import { foreignDocuments } from './0016-foreign-documents.ts';
import { spending } from './0017-spending.ts';
import { annotations } from './0018-annotations.ts';
import { spendingParts } from './0019-spending-parts.ts';
import { catalogue } from './0020-catalogue.ts';
import { typedViews } from './0021-typed-views.ts';
import { pointers } from './0022-pointers.ts';
import type { Migration } from './migration.ts';

export type { Migration } from './migration.ts';

/** In order, without gaps. */
export const MIGRATIONS: readonly Migration[] = [
  entities,
  search,
  steadyPlans,
  leanIndexes,
  receipts,
  noResponseId,
  cachedTurns,
  replayBy,
  trash,
  shelf,
  toolTimes,
  folders,
  blobs,
  gateway,
  searchEverything,
  foreignDocuments,
  spending,
  annotations,
  spendingParts,
  catalogue,
  typedViews,
  pointers,
];

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  /** False: only checks that nothing is missing, for a database user who may not change the schema. */
  readonly apply?: boolean;
}

interface Applied {
  readonly number: number;
  readonly name: string;
}

/**
 * Brings the schema up to date with the program. Each migration is one transaction under a lock that every server
 * takes: of servers that start together one applies it, the others wait and find it applied. A schema that is up to
 * date is only read.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<void> {
  const { migrations = MIGRATIONS, apply = true } = options;
  const { schema } = database;
  const missing = nextMigration(await repeatable(database, (db) => readLedger(db, schema)), migrations, schema);
  if (missing === null) return;
  if (!apply) throw pending(missing, schema);
  const step = async (trx: Transaction<Tables>): Promise<boolean> => {
    // Waiting for another server's migration may take long, and so may this one.
    await sql.raw(TAKES_LONG).execute(trx);
    await sql`SELECT pg_advisory_xact_lock(hashtext('bough migrations'), hashtext(${schema}))`.execute(trx);
    const next = nextMigration(await readLedger(trx, schema), migrations, schema);
    if (next === null) return true;
    if (next.number === 1) await createLedger(trx, schema);
    for (const statement of next.statements) await sql.raw(statement).execute(trx);
    const ledger = sql.id(schema, 'migrations');
    await sql`INSERT INTO ${ledger} (number, name) VALUES (${next.number}, ${next.name})`.execute(trx);
    return false;
  };
  for (let done = false; !done;) {
    // If the answer to an attempt was lost, the ledger shows the next one what it did.
    done = await repeatable(database, (db) => db.transaction().execute(step));
  }
}

/** The first migration that is missing, or null. Those applied must be a prefix of those that the program knows. */
function nextMigration(
  applied: readonly Applied[],
  migrations: readonly Migration[],
  schema: string,
): Migration | null {
  const newest = applied.at(-1);
  const known = migrations.at(-1);
  if (newest !== undefined && known !== undefined && newest.number > known.number) {
    throw new StoreError(
      'schema_newer',
      schema,
      `The schema "${schema}" is at version ${newest.number} ("${newest.name}"); this Bough knows it up to ${known.number}. ` +
        'A newer Bough was here: install that one. Nothing was changed.',
    );
  }
  for (const [index, { number, name }] of applied.entries()) {
    const expected = migrations[index];
    if (expected?.number === number && expected.name === name) continue;
    throw new StoreError(
      'migration_missing',
      schema,
      `The schema "${schema}" says that migration ${number} ("${name}") was applied where ${expected?.number} ("${expected?.name}") ` +
        'should be. Somebody changed its table "migrations", or it belongs to another program. Restore a backup, or choose ' +
        'another schema. Nothing was changed.',
    );
  }
  return migrations[applied.length] ?? null;
}

function pending(next: Migration, schema: string): StoreError {
  return new StoreError(
    'migration_pending',
    schema,
    `The schema "${schema}" lacks migration ${next.number} ("${next.name}"), and Bough was told not to apply any. ` +
      'Start it once with a database user that may, or allow it.',
  );
}

async function createLedger(trx: Transaction<Tables>, schema: string): Promise<void> {
  // Checked first: a user who may not create a schema may still have been given one.
  const { rows } = await sql`SELECT FROM pg_namespace WHERE nspname = ${schema}`.execute(trx);
  if (rows.length === 0) await sql`CREATE SCHEMA ${sql.id(schema)}`.execute(trx);
  await sql`CREATE TABLE IF NOT EXISTS ${sql.id(schema, 'migrations')} (
    number integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`.execute(trx);
}

async function readLedger(db: Kysely<Tables>, schema: string): Promise<readonly Applied[]> {
  // Looked up as rows: the name lookup of `to_regclass` may have cached, before the wait for the lock, that the table
  // was missing.
  const { rows } = await sql`
    SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = ${schema} AND relname = 'migrations'`.execute(db);
  if (rows.length === 0) return [];
  return (await sql<Applied>`SELECT number, name FROM ${sql.id(schema, 'migrations')} ORDER BY number`.execute(db))
    .rows;
}
