import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a vendor saw of one request, and what it answered, to the byte. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly sent: Buffer;
  readonly status: () => number;
  readonly answered: () => Buffer;
  /** Whether the caller ended the connection before the answer was whole. */
  readonly wasLeft: () => boolean;
  /** Cuts the connection to the caller. */
  readonly cut: () => void;
}

export interface Tee {
  readonly url: string;
  readonly seen: () => readonly Exchange[];
  /** Answers instead of the server behind it; false leaves a request to that one. */
  readonly answerWith: (answer: (exchange: Exchange, response: ServerResponse) => boolean) => void;
}

/** Stands in front of a server, passes everything on, and keeps the bytes of both directions. */
export async function startTee(behind: string): Promise<Tee> {
  const seen: Exchange[] = [];
  let answer: (exchange: Exchange, response: ServerResponse) => boolean = () => false;
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const answered: Buffer[] = [];
      let status = 0;
      const sent = Buffer.concat(pieces);
      const { method = 'GET', url = '/', headers } = incoming;
      const exchange: Exchange = {
        method,
        url,
        headers,
        sent,
        status: () => status,
        answered: () => Buffer.concat(answered),
        wasLeft: () => response.destroyed && !response.writableFinished,
        cut: () => response.destroy(),
      };
      seen.push(exchange);
      if (answer(exchange, response)) return;
      const onward = request(`${behind}${url}`, { method, headers, agent: false }, (found) => {
        status = found.statusCode ?? 0;
        response.writeHead(status, found.headers);
        found.on('data', (piece: Buffer) => {
          answered.push(piece);
          response.write(piece);
        });
        found.on('end', () => response.end());
        found.on('error', () => response.destroy());
      });
      onward.on('error', () => response.destroy());
      response.on('close', () => onward.destroy());
      onward.end(sent);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: () => seen,
    answerWith: (given) => {
      answer = given;
    },
  };
}
