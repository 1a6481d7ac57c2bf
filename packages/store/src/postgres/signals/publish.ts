import type { StoreSignal } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { repeatable } from '../connection/transaction.ts';
import type { Gathering } from '../../gather.ts';
import { gather } from '../../gather.ts';
import { channelOf } from './channel.ts';
import { READER_COUNTS } from './poll.ts';
import { writeSignal } from './signal.ts';

/** PostgreSQL commits one notifying transaction at a time, so waiting signals are sent together. */
const ROUND_SIGNALS = 1000;

export function gatherSignals(database: Database): Gathering<StoreSignal> {
  return gather({
    carry: async (signals) => {
      await notify(database, signals);
      return [];
    },
    weigh: () => 1,
    capacity: ROUND_SIGNALS,
  });
}

const NOTIFY = prepared(
  'notify',
  `WITH marked AS (
    UPDATE turns SET interrupt_requested = true
    FROM unnest($1::text[], $2::text[]) AS named (project_id, id)
    WHERE turns.project_id = named.project_id AND turns.id = named.id
  ), stored AS (
    INSERT INTO signals (payload)
    SELECT payload FROM unnest($4::text[]) WITH ORDINALITY AS given (payload, nth)
    WHERE EXISTS (SELECT FROM signal_readers WHERE seen_at > now() - ${READER_COUNTS}) ORDER BY nth
  )
  SELECT pg_notify($3, payload) FROM unnest($4::text[]) WITH ORDINALITY AS given (payload, nth) ORDER BY nth`,
);

/**
 * An interrupt is also stored: the server that runs the turn may have no connection at the moment. Servers that cannot
 * listen (`poll.ts`) find every signal in a table.
 */
async function notify(database: Database, signals: readonly StoreSignal[]): Promise<void> {
  const interrupts = signals.filter((signal) => signal.type === 'interrupt');
  const values = [
    interrupts.map(({ projectId }) => projectId),
    interrupts.map(({ turnId }) => turnId),
    channelOf(database.schema),
    signals.map(writeSignal),
  ];
  await repeatable(database, () => NOTIFY.run(database, values));
}
