import { randomUUID } from 'node:crypto';
import type { Database } from './pool.ts';
import { prepared } from './prepared.ts';

/**
 * What a transaction leaves behind to be recognised by: a token of its own, written in the transaction itself. If the
 * answer to its commit is lost, the token is there or it is not. (The transaction's number proves nothing: a server
 * that crashed reuses the numbers of the transactions that it lost, and calls them committed.)
 *
 * A token overwrites the previous one in its slot. A process has as many slots as concurrent transactions, so the table
 * does not grow.
 */
export interface Receipt {
  readonly slot: string;
  readonly token: string;
  /** In milliseconds since 1970. */
  readonly takenAt: number;
}

export interface Receipts {
  readonly take: () => Receipt;
  /** The slot may be reused: no transaction can still hold or write it. */
  readonly giveBack: (receipt: Receipt) => void;
  /** The slots that were given back. */
  readonly free: () => readonly string[];
}

export function openReceipts(): Receipts {
  const free: string[] = [];
  return {
    take: () => ({ slot: free.pop() ?? randomUUID(), token: randomUUID(), takenAt: Date.now() }),
    giveBack: ({ slot }) => free.push(slot),
    free: () => free,
  };
}

/** Part of a writing statement; its parameters are `$first` and the next one. */
export function receiptText(first: number, where = ''): string {
  return `INSERT INTO receipts (slot, token) SELECT $${first}::uuid, $${first + 1}::uuid ${where}
    ON CONFLICT (slot) DO UPDATE SET token = excluded.token, written_at = now()`;
}

/** How many parameters `receiptText` takes. */
export const RECEIPT_PARAMETERS = 2;

export const receiptValues = ({ slot, token }: Receipt): readonly unknown[] => [slot, token];

/**
 * The last statement of a transaction with several. A transaction that wrote nothing has nothing to prove, and pays
 * nothing.
 */
export const LEAVE_RECEIPT = `/* bough_leave_receipt */ ${receiptText(1, 'WHERE pg_current_xact_id_if_assigned() IS NOT NULL')}`;

// Waits for a transaction that is still committing, even one that writes its slot for the first time, which a SELECT
// would not see.
const ASK = prepared<{ readonly token: string }>(
  'ask_receipt',
  `INSERT INTO receipts (slot, token) VALUES ($1, $2) ON CONFLICT (slot) DO UPDATE SET written_at = now() RETURNING token`,
);

/**
 * Slots of dead processes are swept after a day. For a process that slept that long during its commit, an empty slot
 * proves nothing.
 */
const KEPT = '1 day';
const TRUSTED_MS = 3_600_000;

/** Whether the transaction with this receipt was committed; null where that can no longer be determined. */
export async function isThere(database: Database, { slot, token, takenAt }: Receipt): Promise<boolean | null> {
  const nobodys = randomUUID();
  const [found] = await ASK.run(database, [slot, nobodys]);
  if (found?.token === token) return true;
  return found?.token === nobodys && Date.now() - takenAt > TRUSTED_MS ? null : false;
}

const SWEEP = `DELETE FROM receipts WHERE slot = ANY($1::uuid[]) OR written_at < now() - interval '${KEPT}'`;
const SWEEP_LIMIT_MS = 1_000;

/** Removes our own unused slots, and those of processes that are long gone. */
export async function sweepReceipts({ connect, receipts }: Database): Promise<void> {
  try {
    const client = await connect(SWEEP_LIMIT_MS);
    const impatience = setTimeout(() => client.cut(), SWEEP_LIMIT_MS);
    try {
      await client.query(SWEEP, [receipts.free()]);
    } finally {
      clearTimeout(impatience);
      client.release();
    }
  } catch {
    // The server is away or read-only: the next process to close the store sweeps.
  }
}
