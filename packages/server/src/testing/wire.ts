import { readFile } from 'node:fs/promises';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/** A wire between a server and its database, which can be cut or be slow. */
export interface Wire {
  /** A `DATABASE_URL` that leads through it. */
  readonly url: string;
  /** Ends all connections and accepts none until it is mended. */
  readonly cut: () => void;
  readonly mend: () => void;
  /** This many times, a connection on which this text is sent is cut before the text arrives. */
  readonly refuse: (text: string, times: number) => void;
  /** From now on everything arrives this much later; 0 ends that. */
  readonly delay: (ms: number) => void;
  readonly close: () => Promise<void>;
}

/** Leads to the private PostgreSQL of a data directory, which another process keeps running. */
export async function startWire(dataDir: string): Promise<Wire> {
  const home = join(dataDir, 'postgres');
  const lines = (await readFile(join(home, 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  const port = Number(lines[3]);
  const isOnSocket = (lines[4] ?? '').trim() !== '';
  const password = (await readFile(join(home, 'cluster', 'bough.password'), 'utf8')).trim();
  const open = new Set<Socket>();
  let isCut = false;
  let delayMs = 0;
  let refused = { text: '', times: 0 };
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = isOnSocket ? connect(join(home, 'socket', `.s.PGSQL.${port}`)) : connect(port, '127.0.0.1');
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
    // On the way to the server: what arrives late is carried out late.
    let lastAt = 0;
    client.on('data', (chunk) => {
      if (refused.times > 0 && chunk.includes(refused.text)) {
        refused.times -= 1;
        return end();
      }
      lastAt = Math.max(lastAt, performance.now() + delayMs);
      const wait = lastAt - performance.now();
      if (wait <= 0) upstream.write(chunk);
      else setTimeout(() => upstream.writable && upstream.write(chunk), wait);
    });
    upstream.on('data', (chunk) => client.write(chunk));
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
    cut: () => {
      isCut = true;
      cutAll();
    },
    mend: () => {
      isCut = false;
    },
    refuse: (text, times) => {
      refused = { text, times };
    },
    delay: (ms) => {
      delayMs = ms;
    },
    close: async () => {
      cutAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
