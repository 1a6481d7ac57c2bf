import type pg from 'pg';
import { channelOf } from './channel.ts';

/** Something that hears signals. */
export interface Session {
  /** Resolves when it hears nothing any more, whoever ended it. */
  readonly ended: Promise<void>;
  readonly end: () => Promise<void>;
}

// A connection dropped by a router on the way neither breaks nor reports anything; only a query reveals it.
const HEARTBEAT_MS = 30_000;
const ANSWER_MS = 10_000;

/** A connection that listens. */
export async function openListening(
  connect: () => Promise<pg.Client>,
  schema: string,
  onPayload: (payload: string) => void,
): Promise<Session> {
  const client = await connect();
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve);
  });
  client.on('notification', ({ payload }) => {
    if (payload !== undefined) onPayload(payload);
  });
  try {
    await client.query(`LISTEN "${channelOf(schema)}"`);
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
