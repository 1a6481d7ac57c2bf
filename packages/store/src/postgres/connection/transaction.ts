import type { BoughError } from '@bough/core';
import type { ControlledTransaction, Kysely, Transaction } from 'kysely';
import { CompiledQuery } from 'kysely';
import type { Tables } from '../tables.ts';
import { unknownOutcome } from './outcome.ts';
import { patience } from './patience.ts';
import type { ExactClient } from './exact-client.ts';
import type { Database } from './pool.ts';
import type { Prepared } from './prepared.ts';
import type { Receipt } from './receipts.ts';
import { isThere, LEAVE_RECEIPT, receiptValues } from './receipts.ts';
import { databaseTrouble, isConnectionLoss, isViolation } from './trouble.ts';

const ATTEMPTS = 5;

/** Finds out what violated an integrity rule. Null when that is gone by now: then the work is repeated. */
export type Explain = () => Promise<BoughError | null>;

/**
 * Runs `work` in a transaction and commits it. What PostgreSQL undid (a deadlock, a server that went away) is repeated,
 * so `work` must not keep anything from an earlier attempt. If the answer to a commit is lost, its receipt is looked
 * up.
 *
 * Constraints decide races; `explain` says afterwards, outside the failed transaction, which id or name was involved.
 */
export async function inTransaction<T>(
  database: Database,
  work: (trx: Transaction<Tables>) => Promise<T>,
  explain: Explain | null = null,
): Promise<T> {
  return untilDone(database, explain, async (committing) => {
    const trx = await database.db.startTransaction().execute();
    const receipt = database.receipts.take();
    try {
      const result = await work(trx);
      await leaveReceipt(trx, receipt);
      committing({ result, receipt });
      await trx.commit().execute();
      return result;
    } finally {
      // Even after a failed commit: this is what returns the connection to the pool.
      if (trx.isCommitted || (await rollBack(trx))) database.receipts.giveBack(receipt);
    }
  });
}

/**
 * Must be answered before the commit is sent: from then on, a query for the receipt waits for this transaction's end.
 */
export async function leaveReceipt(trx: Transaction<Tables>, receipt: Receipt): Promise<void> {
  await trx.executeQuery({ ...CompiledQuery.raw(LEAVE_RECEIPT), parameters: receiptValues(receipt) });
}

/**
 * The verdict on a statement's answer: a result to commit, or an error that is worked out once everything is undone.
 */
export type Judged<T> = { readonly result: T } | { readonly refuse: () => Promise<never> };

/**
 * The same for a single statement, which also leaves the receipt. It is sent together with the beginning of the
 * transaction, and only the commit waits for its answer.
 */
export async function inOneStatement<Row, T>(
  database: Database,
  {
    statement,
    values,
    judge,
  }: {
    readonly statement: Prepared<Row>;
    readonly values: (receipt: readonly unknown[]) => readonly unknown[];
    readonly judge: (row: Row) => Judged<T>;
  },
  explain: Explain | null = null,
): Promise<T> {
  return untilDone(database, explain, async (committing) => {
    const client = await database.connect();
    const receipt = database.receipts.take();
    let isCommitted = false;
    let judged: Judged<T>;
    try {
      const [, answer] = await client.together(() =>
        Promise.all([client.query('begin', []), client.query<Row>(statement.text, values(receiptValues(receipt)))]),
      );
      const [row] = answer.rows;
      if (row === undefined) throw new Error('The statement of a transaction gave no row.');
      judged = judge(row);
      if ('result' in judged) {
        committing({ result: judged.result, receipt });
        await client.query('commit', []);
        isCommitted = true;
      }
    } finally {
      try {
        if (isCommitted || (await undo(client))) database.receipts.giveBack(receipt);
      } finally {
        client.release();
      }
    }
    return 'result' in judged ? judged.result : judged.refuse();
  });
}

/** What a transaction is about to commit, and the receipt to recognise it by. */
interface Committing<T> {
  readonly result: T;
  readonly receipt: Receipt;
}

/** `attempt` reports what it is about to commit: if the answer is lost, the receipt decides. */
async function untilDone<T>(
  database: Database,
  explain: Explain | null,
  attempt: (committing: (about: Committing<T>) => void) => Promise<T>,
): Promise<T> {
  const again = patience(database);
  for (let violations = 0; ;) {
    const committing: Committing<T>[] = [];
    try {
      return await attempt((about) => committing.push(about));
    } catch (error) {
      const [lost] = committing;
      if (lost !== undefined && isConnectionLoss(error)) {
        if (await wasCommitted(database, lost.receipt, error)) return lost.result;
      }
      if (explain !== null && isViolation(error)) {
        const explanation = await explain();
        if (explanation !== null) throw explanation;
        if ((violations += 1) < ATTEMPTS) continue;
      }
      if (await again(error)) continue;
      throw databaseTrouble(error, database.target.name);
    }
  }
}

/** For reads and idempotent writes: repeated when the connection is lost. */
export async function repeatable<T>(database: Database, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const again = patience(database);
  for (;;) {
    try {
      return await work(database.db);
    } catch (error) {
      if (await again(error)) continue;
      throw databaseTrouble(error, database.target.name);
    }
  }
}

/** Whether a transaction whose commit was sent but never answered was committed. False: it certainly left nothing. */
export async function wasCommitted(database: Database, receipt: Receipt, cause: unknown): Promise<boolean> {
  const there = await repeatable(database, () => isThere(database, receipt)).catch((trouble: unknown) => {
    throw unknownOutcome(database.target.name, trouble, cause);
  });
  if (there === null) throw unknownOutcome(database.target.name, null, cause);
  // The query for the receipt waited for it: nothing holds the slot any more.
  database.receipts.giveBack(receipt);
  return there;
}

/** False where the connection is lost. The server then rolls back by itself, once it has noticed. */
export function rollBack(trx: ControlledTransaction<Tables>): Promise<boolean> {
  return unlessLost(trx.rollback().execute());
}

function undo(client: ExactClient): Promise<boolean> {
  return unlessLost(client.query('rollback', []));
}

async function unlessLost(undoing: Promise<unknown>): Promise<boolean> {
  try {
    await undoing;
    return true;
  } catch (error) {
    if (!isConnectionLoss(error)) throw error;
    return false;
  }
}
