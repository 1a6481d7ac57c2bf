import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type pg from 'pg';

/** A wire between a store and its server that can be cut at the worst moment. */
export interface Proxy {
  readonly url: string;
  /** The next statement that contains this text is carried out, and its answer is lost with the connection, or with all. */
  readonly loseAnswerTo: (text: string, more?: 'and everything after it') => void;
  /** How many answers were lost. */
  readonly lost: () => number;
  readonly close: () => Promise<void>;
}

export async function startProxy(connection: pg.ClientConfig): Promise<Proxy> {
  const { host, port, user, password, database } = connection;
  const open = new Set<Socket>();
  let losing: string | null = null;
  let losingAll = false;
  let dead = false;
  let lost = 0;

  const server = createServer((client) => {
    if (dead) return void client.destroy();
    const upstream = connect(`${host}/.s.PGSQL.${port}`);
    let swallow = false;
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
    client.on('data', (chunk) => {
      if (losing !== null && chunk.includes(losing)) {
        losing = null;
        swallow = true;
        dead = losingAll;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!swallow) return client.write(chunk);
      lost += 1;
      return end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `postgres://${user}:${String(password)}@127.0.0.1:${listening}/${database}`,
    loseAnswerTo: (text, more) => {
      losing = text;
      losingAll = more !== undefined;
    },
    lost: () => lost,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
