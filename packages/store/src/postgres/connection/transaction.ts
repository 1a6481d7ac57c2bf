import { setTimeout as sleep } from 'node:timers/promises';
import type { BoughError } from '@bough/core';
import type { ControlledTransaction, Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { StoreError } from '../../errors.ts';
import type { Tables } from '../tables.ts';
import type { Database, ExactClient } from './pool.ts';
import type { Prepared } from './prepared.ts';
import { databaseTrouble, isConnectionLoss, isLostRace, isViolation } from './trouble.ts';

const ATTEMPTS = 5;
const ASK_AGAIN_MS = 20;

/** Finds out what an integrity rule was violated by. Null when that is gone by now: then the work is done again. */
export type Explain = () => Promise<BoughError | null>;

/** What came of a transaction, and its id. */
interface Done<T> {
  readonly result: T;
  readonly id: string;
}

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
  return untilDone(database, explain, async (committing) => {
    const trx = await database.db.startTransaction().execute();
    try {
      const result = await work(trx);
      committing({ id: await transactionId(trx), result });
      await trx.commit().execute();
      return result;
    } finally {
      // Also after a failed commit: it is what gives the connection back to the pool.
      if (!trx.isCommitted) await rollBack(trx);
    }
  });
}

/** What is made of the answer of a statement: a result to commit, or an error that is found once everything is undone. */
export type Judged<T> = { readonly result: T } | { readonly refuse: () => Promise<never> };

/**
 * The same for one statement, whose answer tells the id of its transaction. It is sent together with the beginning of the transaction, and
 * only the commit waits for its answer.
 */
export async function inOneStatement<Row extends { readonly transaction: string }, T>(
  database: Database,
  {
    statement,
    values,
    judge,
  }: {
    readonly statement: Prepared<Row>;
    readonly values: readonly unknown[];
    readonly judge: (row: Row) => Judged<T>;
  },
  explain: Explain | null = null,
): Promise<T> {
  return untilDone(database, explain, async (committing) => {
    const client = await database.connect();
    let isCommitted = false;
    let judged: Judged<T>;
    try {
      const [, answer] = await client.together(() =>
        Promise.all([client.query('begin', []), client.query<Row>(statement.text, values)]),
      );
      const [row] = answer.rows;
      if (row === undefined) throw new Error('The statement of a transaction gave no row.');
      judged = judge(row);
      if ('result' in judged) {
        committing({ id: row.transaction, result: judged.result });
        await client.query('commit', []);
        isCommitted = true;
      }
    } finally {
      if (!isCommitted) await undo(client);
      client.release();
    }
    return 'result' in judged ? judged.result : judged.refuse();
  });
}

async function undo(client: ExactClient): Promise<void> {
  try {
    await client.query('rollback', []);
  } catch (error) {
    // A lost connection rolled back by itself.
    if (!isConnectionLoss(error)) throw error;
  }
}

/** `attempt` tells what it is about to commit: if the answer is lost, that is asked for. */
async function untilDone<T>(
  database: Database,
  explain: Explain | null,
  attempt: (committing: (done: Done<T>) => void) => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    const committing: Done<T>[] = [];
    try {
      return await attempt((done) => committing.push(done));
    } catch (error) {
      const [lost] = committing;
      if (lost !== undefined && isConnectionLoss(error)) {
        if (await wasCommitted(database, lost.id, error)) return lost.result;
      }
      if (explain !== null && isViolation(error)) {
        const explanation = await explain();
        if (explanation !== null) throw explanation;
        if (count < ATTEMPTS) continue;
      }
      if (count < ATTEMPTS && (isConnectionLoss(error) || isLostRace(error))) continue;
      throw databaseTrouble(error, database.target.name);
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
