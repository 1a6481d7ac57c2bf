import { setTimeout as sleep } from 'node:timers/promises';
import type { BoughError } from '@bough/core';
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { Kysely, PostgresDialect } from 'kysely';
import type { ClientConfig } from 'pg';
import pg from 'pg';
import type { Tables } from '../tables.ts';
import { storableParameter } from './exact-text.ts';
import { preparedName } from './prepared.ts';
import type { Receipts } from './receipts.ts';
import { openReceipts } from './receipts.ts';
import type { SessionSettings } from './settings.ts';
import { sessionConfig, TAKES_LONG, WAIT_FOR_THE_DISK, WITHOUT_LIMIT_MS } from './settings.ts';
import { codeOf, databaseTrouble, mayConnectLater } from './trouble.ts';

/** A server to connect to. */
export interface Target {
  /** Called for each new connection: an embedded server may come back on another port. */
  readonly connection: () => ClientConfig;
  /** For messages: where it is, but never the password. */
  readonly name: string;
  /** Why the server is known to be down, if it is. */
  readonly trouble?: () => BoughError | null;
}

export interface PoolOptions {
  readonly schema: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** How long a statement waits for a restarting server, or for a free connection. */
  readonly patienceMs?: number;
}

/** Connections to one database. Strings are exact, and a restarting server is waited for. */
export interface Database {
  readonly db: Kysely<Tables>;
  /** A connection from the pool, without the query builder; the caller releases it. */
  readonly connect: (waitMs?: number) => Promise<ExactClient>;
  readonly target: Target;
  readonly schema: string;
  /** How long a restarting server is waited for. */
  readonly patienceMs: number;
  readonly receipts: Receipts;
  /**
   * A connection outside the pool; the caller ends it. It and its statements may be given a shorter time than others.
   */
  readonly dedicated: (limitMs?: number) => Promise<pg.Client>;
  readonly close: () => Promise<void>;
}

const PATIENCE_MS = 20_000;
const RETRY_MS = 50;
const IDLE_MS = 60_000;
const GOODBYE_MS = 1_000;

export function connectDatabase(target: Target, options: PoolOptions): Database {
  const { patienceMs = PATIENCE_MS } = options;
  const config = (limits: Partial<SessionSettings> = {}): ClientConfig =>
    sessionConfig(target.connection(), { ...options, patienceMs, ...limits });
  let losses = 0;
  // The pool passes the same options to every client, so a changed address would not reach a new one.
  class FreshClient extends EndingClient {
    readonly bornAfter = losses;

    constructor() {
      super(config());
      // A broken connection is reported as an event; without a listener that would end the process.
      this.on('error', () => {
        if (!this.isSuspect()) losses += 1;
      });
    }

    /**
     * What broke one connection usually broke them all. One older than the last loss is not tried: each would cost
     * another failed attempt.
     */
    isSuspect(): boolean {
      return this.bornAfter < losses;
    }
  }
  const pool = new pg.Pool({
    Client: FreshClient,
    max: options.poolSize,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: IDLE_MS,
  });
  // The same for an idle one; the pool replaces it when needed.
  pool.on('error', () => undefined);
  // Sent before anything else. A connection on which this fails is not used.
  pool.on('connect', (client) => {
    client.query(WAIT_FOR_THE_DISK).catch(() => client.connection.stream.destroy());
  });
  let closed = false;

  const connect = async (waitMs = patienceMs): Promise<ExactClient> => {
    const patienceEnds = performance.now() + waitMs;
    for (;;) {
      try {
        const client = await pool.connect();
        if (!(client instanceof FreshClient && client.isSuspect())) return new ExactClient(client);
        // Not closed gracefully: there may be nobody to answer.
        client.connection.stream.destroy();
        client.release(true);
      } catch (error) {
        const trouble = target.trouble?.() ?? null;
        const hopeless = closed || trouble !== null || !mayConnectLater(error) || performance.now() > patienceEnds;
        if (hopeless) throw trouble ?? databaseTrouble(error, target.name);
        await sleep(RETRY_MS);
      }
    }
  };

  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect: () => connect(), end: () => pool.end() } }),
  });
  return {
    db,
    connect,
    target,
    schema: options.schema,
    patienceMs,
    receipts: openReceipts(),
    dedicated: async (limitMs) => {
      const client = new EndingClient(
        config(limitMs === undefined ? {} : { statementTimeoutMs: limitMs, patienceMs: limitMs, silenceMs: 0 }),
      );
      // Reported as an event too, as above; the holder of the connection hears of its end.
      client.on('error', () => undefined);
      await client.connect();
      return client;
    },
    close: async () => {
      closed = true;
      await db.destroy();
    },
  };
}

/** Tries the server once, without waiting, so that a wrong address or password is reported at once. */
export async function probe(target: Target): Promise<void> {
  const patienceEnds = performance.now() + PATIENCE_MS;
  for (;;) {
    const client = new pg.Client({ ...target.connection(), connectionTimeoutMillis: PATIENCE_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      // A server that is just starting says so, and is worth waiting for.
      const starting = codeOf(error) === '57P03' && performance.now() < patienceEnds;
      if (!starting) throw databaseTrouble(error, target.name);
      await sleep(RETRY_MS);
    }
  }
}

/**
 * Closes gracefully, but does not wait for ever for a server that does not answer: closing a store would wait with it.
 */
class EndingClient extends pg.Client {
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const impatience = setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS);
    this.once('end', () => clearTimeout(impatience));
    return callback === undefined ? super.end() : super.end(callback);
  }
}

/** All parameters pass through here: no statement can forget to make its strings storable. */
export class ExactClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  #takesLong = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(sql: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof sql !== 'string')
      throw new TypeError('Cursors are not used: their parameters would not be made storable.');
    const values = parameters.map(storableParameter);
    if (sql === TAKES_LONG) this.#takesLong = true;
    const name = preparedName(sql);
    return this.#client.query({
      text: sql,
      values,
      ...(name !== undefined && { name }),
      ...(this.#takesLong && { query_timeout: WITHOUT_LIMIT_MS }),
    });
  }

  /**
   * The statements that `send` issues leave in one write: each write wakes the server, which costs more than what it
   * carries.
   */
  together<T>(send: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  release(): void {
    this.#client.release();
  }

  /** Breaks the connection, and with it whatever waits for an answer. */
  cut(): void {
    this.#client.connection.stream.destroy();
  }
}
