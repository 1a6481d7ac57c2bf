import { readFile } from 'node:fs/promises';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postmasterOf } from './database-processes.ts';

/** How a wire fails. */
export const CUTS = [
  /** All connections end, and no new one is accepted for a while. */
  'refuse',
  /** Connections end again and again; each new one works for a few milliseconds. */
  'flap',
  /** Nothing passes for a while, in either direction; then all connections end. */
  'stall',
  /** Idle connections are silently dead: their next use finds out, as behind a restarted router. */
  'forget',
] as const;
export type Cut = (typeof CUTS)[number];

/** A wire between a server and its database; every connection can be cut. */
export interface Wire {
  /** A `DATABASE_URL` that leads through it. */
  readonly url: string;
  readonly cut: (how: Cut, ms: number, flapMs: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A connection of the server and its other half. */
interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Somebody waits for an answer, or is in the middle of a transaction. */
  isBusy: boolean;
}

/** The last bytes of an answer after which PostgreSQL is idle: `ReadyForQuery`, outside a transaction. */
const READY = Buffer.from('Z\0\0\0\u0005I', 'latin1');

/** Leads to the private PostgreSQL of a data directory, which another process keeps running. */
export async function startWire(dataDir: string): Promise<Wire> {
  const home = join(dataDir, 'postgres');
  const cluster = join(home, 'cluster');
  const { port, onSocket } = await postmasterOf(cluster);
  const password = (await readFile(join(cluster, 'bough.password'), 'utf8')).trim();
  const pairs = new Set<Pair>();
  let isRefusing = false;
  let isStalled = false;
  const server = createServer((client) => {
    if (isRefusing) return void client.destroy();
    const upstream = onSocket ? connect(join(home, 'socket', `.s.PGSQL.${port}`)) : connect(port, '127.0.0.1');
    const pair: Pair = { client, upstream, isBusy: true };
    pairs.add(pair);
    for (const socket of [client, upstream]) socket.on('error', () => end(pair)).on('close', () => end(pair));
    client.on('data', () => (pair.isBusy = true));
    upstream.on('data', (chunk) => (pair.isBusy = !chunk.subarray(-READY.length).equals(READY)));
    client.pipe(upstream);
    upstream.pipe(client);
    if (isStalled) stall(pair);
  });
  const end = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.upstream.destroy();
  };
  const endAll = (): void => [...pairs].forEach(end);
  const cut = async (how: Cut, ms: number, flapMs: number): Promise<void> => {
    const until = performance.now() + ms;
    isRefusing = how === 'refuse';
    isStalled = how === 'stall';
    if (how === 'stall') pairs.forEach(stall);
    else if (how === 'forget') for (const pair of pairs) (pair.isBusy ? end : forget)(pair);
    else endAll();
    while (performance.now() < until) {
      await sleep(how === 'flap' ? flapMs : ms);
      if (how !== 'forget') endAll();
    }
    isRefusing = false;
    isStalled = false;
  };
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `postgres://bough:${encodeURIComponent(password)}@127.0.0.1:${listening}/postgres`,
    cut,
    close: async () => {
      endAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function stall({ client, upstream }: Pair): void {
  client.pause();
  upstream.pause();
}

/** The other end is gone; this one learns of it when it sends something. */
function forget({ client, upstream }: Pair): void {
  client.unpipe();
  upstream.removeAllListeners('close').on('error', () => undefined);
  upstream.destroy();
  client.on('data', () => client.resetAndDestroy()).resume();
}
