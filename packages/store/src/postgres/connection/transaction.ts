import { setTimeout as sleep } from 'node:timers/promises';
import type { BoughError } from '@bough/core';
import type { ControlledTransaction, Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { StoreError } from '../../errors.ts';
import type { Tables } from '../tables.ts';
import type { Database } from './pool.ts';
import { databaseTrouble, isConnectionLoss, isLostRace, isViolation } from './trouble.ts';

const ATTEMPTS = 5;
const ASK_AGAIN_MS = 20;

/** Finds out what an integrity rule was violated by. Null when that is gone by now: then the work is done again. */
export type Explain = () => Promise<BoughError | null>;

/**
 * Runs `work` in a transaction and commits it. What PostgreSQL undid (a deadlock, a server that went away) is done again, so
 * `work` must not keep anything from an earlier attempt. Where the answer to a commit was lost, PostgreSQL is asked what became
 * of the transaction.
 *
 * Constraints decide races; `explain` says afterwards, outside of the failed transaction, which id or name it was about.
 */
export async function inTransaction<T>(
  database: Database,
  work: (trx: Transaction<Tables>) => Promise<T>,
  explain: Explain | null = null,
): Promise<T> {
  const { db, target } = database;
  for (let attempt = 1; ; attempt += 1) {
    let trx: ControlledTransaction<Tables> | null = null;
    let committing: { readonly id: string; readonly result: T } | null = null;
    try {
      trx = await db.startTransaction().execute();
      const result = await work(trx);
      committing = { id: await transactionId(trx), result };
      await trx.commit().execute();
      return result;
    } catch (error) {
      // Also after a failed commit: it is what gives the connection back to the pool.
      if (trx !== null) await rollBack(trx);
      if (committing !== null && isConnectionLoss(error)) {
        if (await wasCommitted(database, committing.id, error)) return committing.result;
      }
      if (explain !== null && isViolation(error)) {
        const explanation = await explain();
        if (explanation !== null) throw explanation;
        if (attempt < ATTEMPTS) continue;
      }
      if (attempt < ATTEMPTS && (isConnectionLoss(error) || isLostRace(error))) continue;
      throw databaseTrouble(error, target.name);
    }
  }
}

/** For reads, and for writes that are the same done once or twice: done again when the connection is lost. */
export async function repeatable<T>({ db, target }: Database, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(db);
    } catch (error) {
      if (attempt < ATTEMPTS && isConnectionLoss(error)) continue;
      throw databaseTrouble(error, target.name);
    }
  }
}

/** Empty for a transaction that wrote nothing: whether that was committed does not matter. */
export async function transactionId(trx: Transaction<Tables>): Promise<string> {
  const { rows } = await sql<{ id: string | null }>`SELECT pg_current_xact_id_if_assigned()::text AS id`.execute(trx);
  return rows[0]?.id ?? '';
}

/** What became of a transaction whose commit was sent and never answered. False: it is certain that it left nothing. */
export async function wasCommitted(database: Database, id: string, cause: unknown): Promise<boolean> {
  if (id === '') return false;
  for (;;) {
    const status = await repeatable(database, async (db) => {
      const { rows } = await sql<{ status: string | null }>`SELECT pg_xact_status(${id}::xid8) AS status`.execute(db);
      return rows[0]?.status ?? null;
    }).catch(() => null);
    if (status === 'committed') return true;
    if (status === 'aborted') return false;
    // Unreachable, or another server than the one that was asked to commit.
    if (status !== 'in progress') throw unknownOutcome(database.target.name, cause);
    await sleep(ASK_AGAIN_MS);
  }
}

export async function rollBack(trx: ControlledTransaction<Tables>): Promise<void> {
  try {
    await trx.rollback().execute();
  } catch (error) {
    // A lost connection rolled back by itself.
    if (!isConnectionLoss(error)) throw error;
  }
}

function unknownOutcome(target: string, cause: unknown): StoreError {
  return new StoreError(
    'outcome_unknown',
    target,
    `The connection to PostgreSQL at ${target} broke while a write was being committed. It may have been stored: read again before repeating it.`,
    { cause },
  );
}
