import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseStoredJson } from '../connection/exact-text.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import type { Session } from './session.ts';

/** How late a signal may be. Somebody who watches a turn of another server sees words in steps of this length. */
const POLL_MS = 250;
const SAY_ALIVE_MS = 10_000;
/** A reader that was silent for longer cannot know what it missed: signals may not even have been stored. */
const TRUSTED_MS = 30_000;
/** Longer than that by far, so that nobody else gives it up before it does so itself. */
export const READER_COUNTS = `interval '2 minutes'`;

const REGISTER = prepared<{ readonly seen: string }>(
  'register_reader',
  `INSERT INTO signal_readers (id) VALUES ($1) RETURNING pg_current_snapshot()::text AS seen`,
);

// What is visible now and was not when the last look was taken: numbers would not do, because a transaction may
// commit after one with a higher number.
const LOOK = prepared<{ readonly seen: string; readonly is_known: boolean; readonly payloads: string }>(
  'look_for_signals',
  `SELECT pg_current_snapshot()::text AS seen,
    EXISTS (SELECT FROM signal_readers WHERE id = $1) AS is_known,
    (SELECT coalesce(json_agg(payload ORDER BY position), '[]')::text FROM signals
      WHERE transaction >= pg_snapshot_xmin($2::pg_snapshot)
        AND NOT pg_visible_in_snapshot(transaction, $2::pg_snapshot)) AS payloads`,
);

const SAY_ALIVE = prepared(
  'say_alive',
  `WITH heard AS (DELETE FROM signals WHERE sent_at < now() - ${READER_COUNTS}),
    gone AS (DELETE FROM signal_readers WHERE seen_at < now() - ${READER_COUNTS} AND id <> $1)
  UPDATE signal_readers SET seen_at = now() WHERE id = $1`,
);

const LEAVE = prepared('leave_signals', `DELETE FROM signal_readers WHERE id = $1`);

/**
 * Where no connection can listen, signals are read from a table. They are stored there only while somebody reads them;
 * readers keep themselves known and remove what everybody has read.
 */
export async function openPolling(database: Database, onPayload: (payload: string) => void): Promise<Session> {
  const id = randomUUID();
  const [registered] = await REGISTER.run(database, [id]);
  if (registered === undefined) throw new Error('A reader of signals was not registered.');
  const closing = new AbortController();
  const ended = look(database, id, registered.seen, onPayload, closing.signal);
  return {
    ended,
    end: async () => {
      closing.abort();
      await ended;
      // If that fails, the others forget it after a while.
      await LEAVE.run(database, [id]).catch(() => undefined);
    },
  };
}

/** Resolves when it was told to stop, or when signals may have been missed. */
async function look(
  database: Database,
  id: string,
  since: string,
  onPayload: (payload: string) => void,
  closing: AbortSignal,
): Promise<void> {
  let seen = since;
  let saidAlive = performance.now();
  let looked = performance.now();
  try {
    while (!closing.aborted) {
      await sleep(POLL_MS, undefined, { signal: closing }).catch(() => undefined);
      if (closing.aborted) return;
      const now = performance.now();
      if (now - looked > TRUSTED_MS) return;
      looked = now;
      if (now - saidAlive > SAY_ALIVE_MS) {
        await SAY_ALIVE.run(database, [id]);
        saidAlive = now;
      }
      const [found] = await LOOK.run(database, [id, seen]);
      if (found?.is_known !== true) return;
      seen = found.seen;
      for (const payload of parseStoredJson(found.payloads) as readonly string[]) onPayload(payload);
    }
  } catch {
    // The server is away. Writers are told the reason; whoever waits for signals only has to begin anew.
  }
}
