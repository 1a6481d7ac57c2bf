import type { BoughError } from '@bough/core';
import type { ControlledTransaction, Kysely, Transaction } from 'kysely';
import { StoreError } from '../../errors.ts';
import type { Tables } from '../tables.ts';
import type { Database } from './pool.ts';
import { databaseTrouble, isConnectionLoss, isLostRace, isViolation } from './trouble.ts';

const ATTEMPTS = 5;

/** Finds out what an integrity rule was violated by. Null when that is gone by now: then the work is done again. */
export type Explain = () => Promise<BoughError | null>;

/**
 * Runs `work` in a transaction and commits it. What PostgreSQL undid (a deadlock, a server that went away before the commit was
 * sent) is done again, so `work` must not keep anything from an earlier attempt. A commit that was sent and never answered is
 * not repeated: it may have happened.
 *
 * Constraints decide races; `explain` says afterwards, outside of the failed transaction, which id or name it was about.
 */
export async function inTransaction<T>(
  { db, target }: Database,
  work: (trx: Transaction<Tables>) => Promise<T>,
  explain: Explain | null = null,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let trx: ControlledTransaction<Tables> | null = null;
    let sent = false;
    try {
      trx = await db.startTransaction().execute();
      const result = await work(trx);
      sent = true;
      await trx.commit().execute();
      return result;
    } catch (error) {
      // Also after a failed commit: it is what gives the connection back to the pool.
      if (trx !== null) await rollBack(trx);
      if (sent && isConnectionLoss(error)) throw unknownOutcome(target.name, error);
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

async function rollBack(trx: ControlledTransaction<Tables>): Promise<void> {
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
