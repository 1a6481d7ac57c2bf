import type { ClientConfig } from 'pg';
import { columnTypes } from './types.ts';

// A plan that was made while a table was small is kept while it grows: an index is right for both, reading it through
// only for the first. Statements are short: compiling them would take longer than running them.
export const PLANNING = '-c enable_seqscan=off -c jit=off';

/**
 * How long a transaction may wait for its client. Between two statements of a living one lie milliseconds; a process
 * that was stopped in between would hold its locks for ever, and with them the turn that another server should take
 * over. Whoever wakes up too late does the transaction again.
 */
const IDLE_IN_TRANSACTION_MS = 2_000;

/**
 * How long the server may say nothing after the time in which it would have stopped the statement: the way to it is
 * gone then.
 */
const SILENCE_MS = 5_000;

/** A peer that vanished without a word is noticed on either side, also while nothing is sent. */
const KEEP_ALIVE_MS = 10_000;
const VANISHED_CLIENTS =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=20000';

export interface SessionSettings {
  readonly schema: string;
  readonly statementTimeoutMs: number;
  readonly patienceMs: number;
  readonly silenceMs?: number;
}

/** What every connection of a store carries. `given` may bring options of its own, which ours follow. */
export function sessionConfig(given: ClientConfig, settings: SessionSettings): ClientConfig {
  // Our own server is on this machine and sees at once that a client is gone; where the system lacks these settings it
  // would complain.
  const isElsewhere = given.connectionString !== undefined;
  const { schema, statementTimeoutMs, patienceMs, silenceMs = SILENCE_MS } = settings;
  return {
    ...given,
    types: columnTypes,
    // Whoever need not wait for an answer may send the next statement at once.
    pipeline: true,
    application_name: 'bough',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: patienceMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + silenceMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: [
      given.options ?? '',
      `-c search_path=${schema},public -c timezone=UTC`,
      PLANNING,
      isElsewhere ? VANISHED_CLIENTS : '',
    ].join(' '),
  };
}

/**
 * For a server whose commits do not wait for its disk: what is acknowledged must be there after its crash. Other ways
 * to wait stay.
 */
export const WAIT_FOR_THE_DISK = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

/** Within a transaction: its statements take as long as they take, and so may its client between them. */
export const TAKES_LONG = `SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '60s', true)`;
/** Within a transaction that somebody else gives or takes the records of, at his own pace. */
export const MAY_PAUSE = `SELECT set_config('idle_in_transaction_session_timeout', '1h', true)`;
/** What a timer can wait for at most. */
export const WITHOUT_LIMIT_MS = 2 ** 31 - 1;
