import { readFile } from 'node:fs/promises';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postmasterOf } from './database-processes.ts';

/** A wire between a server and its database, of which every connection can be cut. */
export interface Wire {
  /** A `DATABASE_URL` that goes through it. */
  readonly url: string;
  /** Cuts all connections and takes no new ones for a while. */
  readonly cut: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Leads to the private PostgreSQL of a data directory, which somebody else keeps running. */
export async function startWire(dataDir: string): Promise<Wire> {
  const home = join(dataDir, 'postgres');
  const cluster = join(home, 'cluster');
  const { port, onSocket } = await postmasterOf(cluster);
  const password = (await readFile(join(cluster, 'bough.password'), 'utf8')).trim();
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = onSocket ? connect(join(home, 'socket', `.s.PGSQL.${port}`)) : connect(port, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', end).on('close', () => {
        open.delete(socket);
        end();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port: listening } = server.address() as AddressInfo;
  const cutAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `postgres://bough:${encodeURIComponent(password)}@127.0.0.1:${listening}/postgres`,
    cut: async (ms) => {
      isCut = true;
      cutAll();
      await sleep(ms);
      isCut = false;
    },
    close: async () => {
      cutAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
