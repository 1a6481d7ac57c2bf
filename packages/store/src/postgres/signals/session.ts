import type pg from 'pg';
import type { Database } from '../connection/pool.ts';
import { channelOf } from './channel.ts';

/** A connection that listens. */
export interface Session {
  /** Resolves when the connection is gone, whoever ended it. */
  readonly ended: Promise<void>;
  readonly end: () => Promise<void>;
}

// A connection dropped by a router on the way neither breaks nor reports anything; only a query reveals it.
const HEARTBEAT_MS = 30_000;
const ANSWER_MS = 10_000;

export async function openSession(database: Database, onPayload: (payload: string) => void): Promise<Session> {
  const client = await database.dedicated();
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve);
  });
  client.on('notification', ({ payload }) => {
    if (payload !== undefined) onPayload(payload);
  });
  try {
    await client.query(`LISTEN "${channelOf(database.schema)}"`);
  } catch (error) {
    await client.end();
    throw error;
  }
  const heartbeat = setInterval(() => beat(client), HEARTBEAT_MS);
  heartbeat.unref();
  client.once('end', () => clearInterval(heartbeat));
  return { ended, end: () => client.end() };
}

function beat(client: pg.Client): void {
  // Ending a client with an unanswered query cuts the connection, which is what a dead one needs.
  const impatience = setTimeout(() => {
    client.end().catch(() => undefined);
  }, ANSWER_MS);
  client
    .query('SELECT 1')
    // A failure ends the connection, which `ended` reports.
    .catch(() => undefined)
    .finally(() => clearTimeout(impatience));
}
