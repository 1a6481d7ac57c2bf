import type { ControlledTransaction, Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../connection/pool.ts';
import { MAY_PAUSE } from '../connection/settings.ts';
import { repeatable, rollBack } from '../connection/transaction.ts';
import type { Tables } from '../tables.ts';

/**
 * Begins a transaction whose records somebody else supplies or consumes, at their own pace. Repeated if the connection
 * is lost, since no record has passed yet. After that nothing can be repeated: a stream is supplied only once.
 */
export async function beginTransfer(
  database: Database,
  start: (db: Kysely<Tables>) => Promise<ControlledTransaction<Tables>>,
): Promise<ControlledTransaction<Tables>> {
  return repeatable(database, async (db) => {
    const trx = await start(db);
    try {
      await sql.raw(MAY_PAUSE).execute(trx);
      return trx;
    } catch (error) {
      await rollBack(trx);
      throw error;
    }
  });
}
