import type { ClientConfig } from 'pg';
import { columnTypes } from './types.ts';

// A plan made while a table was small is kept while it grows: an index suits both, a full scan only the former.
// Statements are short: compiling them would take longer than running them.
const PLANNING_SETTINGS = { enable_seqscan: 'off', jit: 'off' };
export const PLANNING = asOptions(PLANNING_SETTINGS);

/**
 * How long a transaction may wait for its client. A live client takes milliseconds between two statements; one that was
 * stopped in between would hold its locks for ever, and with them the turn that another server should take over. A
 * client that resumes too late repeats the transaction.
 */
const IDLE_IN_TRANSACTION_MS = 2_000;

/**
 * How long the server may stay silent after the statement's timeout has passed: after that, the connection counts as
 * lost.
 */
const SILENCE_MS = 5_000;

/** Lets either side notice a peer that vanished silently, even while nothing is sent. */
const KEEP_ALIVE_MS = 10_000;
const VANISHED_CLIENTS =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=20000';

export interface SessionSettings {
  readonly schema: string;
  readonly statementTimeoutMs: number;
  readonly patienceMs: number;
  readonly silenceMs?: number;
}

/** The configuration of every connection of a store. Options in `given` come first, ours follow. */
export function sessionConfig(given: ClientConfig, settings: SessionSettings): ClientConfig {
  // Our own server is on this machine and notices at once that a client is gone; where the system lacks these settings
  // it would complain.
  const isElsewhere = given.connectionString !== undefined;
  return {
    ...pooledConfig(given, settings),
    statement_timeout: settings.statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: [given.options ?? '', asOptions(meaningOf(settings.schema)), isElsewhere ? VANISHED_CLIENTS : ''].join(
      ' ',
    ),
  };
}

/**
 * The same behind a pooler: it refuses or forgets what a connection asks for when it begins, so nothing is asked for;
 * each transaction says it instead (`transactionSettings`). Options of the URL would be refused too.
 */
export function pooledConfig(given: ClientConfig, settings: SessionSettings): ClientConfig {
  const { statementTimeoutMs, patienceMs, silenceMs = SILENCE_MS } = settings;
  const { options: _, ...rest } = given;
  return {
    ...rest,
    types: columnTypes,
    // A caller that need not wait for an answer may send the next statement at once.
    pipeline: true,
    application_name: 'bough',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: patienceMs,
    query_timeout: statementTimeoutMs + silenceMs,
  };
}

/** What the statements of a store rely on, by the names of PostgreSQL's settings. */
export function meaningOf(schema: string): Readonly<Record<string, string>> {
  return { search_path: `${schema},public`, TimeZone: 'UTC', ...PLANNING_SETTINGS };
}

/** Settings as a connection asks for them when it begins. */
function asOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/**
 * What a transaction says first behind a pooler: it may run on any of the server's connections, and nothing that was
 * set outlives it.
 */
export function transactionSettings({ schema, statementTimeoutMs }: SessionSettings): string {
  const settings = {
    ...meaningOf(schema),
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
  };
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return `SELECT ${set.join(', ')}, set_config('synchronous_commit', ${DURABLE}, true)`;
}

// For a server whose commits do not wait for its disk: what is acknowledged must survive its crash. Other modes of
// waiting stay.
const DURABLE = `CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END`;

/** The same for a connection that is ours for as long as it lives. */
export const WAIT_FOR_THE_DISK = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

/** Within a transaction: its statements may take as long as they need, and so may its client between them. */
export const TAKES_LONG = `SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '60s', true)`;
/** Within a transaction whose records somebody else supplies or consumes at their own pace. */
export const MAY_PAUSE = `SELECT set_config('idle_in_transaction_session_timeout', '1h', true)`;
/** The longest time that a timer can wait. */
export const WITHOUT_LIMIT_MS = 2 ** 31 - 1;
