import type { Database } from './connection/pool.ts';
import { receiptText, receiptValues } from './connection/receipts.ts';
import type { Receipt } from './connection/receipts.ts';
import { databaseTrouble } from './connection/trouble.ts';

/** The caller wants an answer now: a server that cannot give one in this time cannot be used now. */
const LIMIT_MS = 2_000;

/**
 * What does not fit into this little memory spills to a file, which takes space on the server's disk and is removed at
 * once. Inserting a row would prove nothing: even on a full disk it finds room in an existing page.
 */
const LITTLE_MEMORY = `SELECT set_config('work_mem', '64kB', true)`;
/**
 * As much as the server's journal takes when it grows by a file. Beyond that point a write does not merely fail, it
 * stops the server.
 */
const MEGABYTES = 4;
const TAKE_SPACE = `SELECT count(*) FROM unnest(array_fill(repeat('x', 8192), ARRAY[${MEGABYTES * 128}]))`;

/**
 * Whether the store can write now; rejects with the reason. Those who ask at the same time share one answer. It is not
 * kept any longer: the server keeps it for a moment, and what both kept would add up to readiness that was true three
 * seconds ago.
 */
export function checkMethod(database: Database): () => Promise<void> {
  const receipt = database.receipts.take();
  let underWay: Promise<void> | null = null;
  return () => {
    underWay ??= check(database, receipt).finally(() => (underWay = null));
    return underWay;
  };
}

/** On a connection of its own: in a pool where everybody waits for an absent server, it would wait too. */
async function check({ dedicated, transactionSettings, target }: Database, receipt: Receipt): Promise<void> {
  try {
    const client = await dedicated(LIMIT_MS);
    try {
      await client.query('BEGIN');
      if (transactionSettings !== null) await client.query(transactionSettings);
      await client.query(LITTLE_MEMORY);
      await client.query(TAKE_SPACE);
      await client.query(receiptText(1), [...receiptValues(receipt)]);
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
  } catch (error) {
    throw target.trouble?.() ?? databaseTrouble(error, target.name);
  }
}
