import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type pg from 'pg';

/** A wire between a store and its server that can be cut at the worst moment. */
export interface Proxy {
  readonly url: string;
  /**
   * The next statement that contains this text is carried out, but its answer is lost with its connection, or with all
   * of them.
   */
  readonly loseAnswerTo: (text: string, more?: 'and everything after it') => void;
  /**
   * The next statement that contains this text never arrives, and from then on nobody is let through. Resolves when
   * that has happened.
   */
  readonly holdBack: (text: string) => Promise<void>;
  /** Cuts every connection, and from then on lets nobody through. */
  readonly cut: () => void;
  /** Every connection breaks on its next use, as behind a restarted router. New ones are let through. */
  readonly forget: () => void;
  /** Silently stops carrying anything: connections stay open; new ones are let through, or stay silent too. */
  readonly fallSilent: (more?: 'towards new ones too') => void;
  /** Lets everybody through again, or to another server. */
  readonly comeBack: (other?: pg.ClientConfig) => void;
  /** How many answers were lost. */
  readonly lost: () => number;
  readonly close: () => Promise<void>;
}

interface Line {
  readonly client: Socket;
  readonly upstream: Socket;
  swallow: 'nothing' | 'the answer' | 'everything';
  isForgotten: boolean;
}

export async function startProxy(connection: pg.ClientConfig): Promise<Proxy> {
  const { user, password, database } = connection;
  let upstream = connection;
  const lines = new Set<Line>();
  let losing: { readonly text: string; readonly all: boolean } | null = null;
  let holding: { readonly text: string; readonly held: () => void } | null = null;
  let isShut = false;
  let isSilent = false;
  let lost = 0;

  const end = (line: Line): void => {
    lines.delete(line);
    line.client.destroy();
    line.upstream.destroy();
  };
  const cut = (): void => {
    isShut = true;
    for (const line of lines) end(line);
  };

  const server = createServer((client) => {
    if (isShut) return void client.destroy();
    const line: Line = {
      client,
      upstream: connect(`${upstream.host}/.s.PGSQL.${upstream.port}`),
      swallow: isSilent ? 'everything' : 'nothing',
      isForgotten: false,
    };
    lines.add(line);
    for (const socket of [line.client, line.upstream]) socket.on('error', () => end(line)).on('close', () => end(line));
    line.client.on('data', (chunk) => {
      if (line.isForgotten) return end(line);
      if (line.swallow === 'everything') return;
      if (holding !== null && chunk.includes(holding.text)) {
        const { held } = holding;
        holding = null;
        cut();
        return held();
      }
      if (losing !== null && chunk.includes(losing.text)) {
        isShut = losing.all;
        losing = null;
        line.swallow = 'the answer';
      }
      line.upstream.write(chunk);
    });
    line.upstream.on('data', (chunk) => {
      if (line.swallow === 'nothing') return void line.client.write(chunk);
      if (line.swallow === 'everything') return;
      lost += 1;
      end(line);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `postgres://${user}:${String(password)}@127.0.0.1:${listening}/${database}`,
    loseAnswerTo: (text, more) => {
      losing = { text, all: more !== undefined };
    },
    holdBack: (text) =>
      new Promise((resolve) => {
        holding = { text, held: resolve };
      }),
    cut,
    forget: () => {
      for (const line of lines) line.isForgotten = true;
    },
    fallSilent: (more) => {
      isSilent = more !== undefined;
      for (const line of lines) line.swallow = 'everything';
    },
    comeBack: (other) => {
      upstream = other ?? upstream;
      isShut = false;
      isSilent = false;
    },
    lost: () => lost,
    close: async () => {
      cut();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
