import { setTimeout as sleep } from 'node:timers/promises';
import type { BoughError } from '@bough/core';
import { Kysely, PostgresDialect } from 'kysely';
import type { ClientConfig } from 'pg';
import pg from 'pg';
import type { Tables } from '../tables.ts';
import { EndingClient } from './ending-client.ts';
import { ExactClient } from './exact-client.ts';
import type { Receipts } from './receipts.ts';
import { openReceipts } from './receipts.ts';
import type { SessionSettings } from './settings.ts';
import { pooledConfig, sessionConfig, transactionSettings, WAIT_FOR_THE_DISK } from './settings.ts';
import { databaseTrouble, mayConnectLater } from './trouble.ts';

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
  /** A pooler is between us and the server: no statement may rely on what an earlier transaction left behind. */
  readonly isPooled?: boolean;
  /** The server itself, for the one connection that listens. Without it, behind a pooler, signals are polled for. */
  readonly direct?: Target;
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
  /** A connection outside the pool; the caller ends it. It and its statements are given so much time. */
  readonly dedicated: (limitMs: number) => Promise<pg.Client>;
  /** What a transaction on such a connection must say first; null where connections keep their settings. */
  readonly transactionSettings: string | null;
  /** A connection to listen on, which the caller ends; null where there can be none. */
  readonly listening: (() => Promise<pg.Client>) | null;
  readonly close: () => Promise<void>;
}

const PATIENCE_MS = 20_000;
const RETRY_MS = 50;
const IDLE_MS = 60_000;

export function connectDatabase(target: Target, options: PoolOptions): Database {
  const { patienceMs = PATIENCE_MS, isPooled = false, direct } = options;
  const settings: SessionSettings = { ...options, patienceMs };
  const config = (limits: Partial<SessionSettings> = {}): ClientConfig =>
    (isPooled ? pooledConfig : sessionConfig)(target.connection(), { ...settings, ...limits });
  const beforehand = isPooled ? transactionSettings(settings) : null;
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
    if (!isPooled) client.query(WAIT_FOR_THE_DISK).catch(() => client.connection.stream.destroy());
  });
  let closed = false;

  const connect = async (waitMs = patienceMs): Promise<ExactClient> => {
    const patienceEnds = performance.now() + waitMs;
    for (;;) {
      try {
        const client = await pool.connect();
        if (!(client instanceof FreshClient && client.isSuspect())) return new ExactClient(client, beforehand);
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
    dedicated: (limitMs) => connected(config({ statementTimeoutMs: limitMs, patienceMs: limitMs, silenceMs: 0 })),
    transactionSettings: beforehand,
    listening:
      isPooled && direct === undefined
        ? null
        : () => connected(sessionConfig((direct ?? target).connection(), settings)),
    close: async () => {
      closed = true;
      await db.destroy();
    },
  };
}

async function connected(config: ClientConfig): Promise<pg.Client> {
  const client = new EndingClient(config);
  // Reported as an event too, as above; the holder of the connection hears of its end.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
