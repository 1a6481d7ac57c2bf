import type { ControlledTransaction, Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../connection/pool.ts';
import { MAY_PAUSE } from '../connection/settings.ts';
import { repeatable, rollBack } from '../connection/transaction.ts';
import type { Tables } from '../tables.ts';

/**
 * Begins a transaction whose records somebody else gives or takes, at his own pace. Done again where the connection is
 * lost: no record has passed yet. Afterwards nothing can be done again: nobody gives a stream twice.
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
