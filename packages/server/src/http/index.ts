import { getRequestListener, RequestError } from '@hono/node-server';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpProblem, problemResponse, toProblem } from '../problem.ts';

/** Limits on a connection: one that sends its request too slowly, or an endless head, is closed. */
export const CONNECTION_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  // An agent runs its tools between two requests. After Node's five seconds its connection would often be closed just
  // when it asks on, and some clients tell that to their person.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
  // The application itself refuses a request without a host, with its own message.
  requireHostHeader: false,
  // A response waits for each piece to leave. Where a write has room left, @hono/node-server chains the next one to it
  // as a promise inside a promise, and keeps all of them until the response ends: 90 bytes per piece, in streams of
  // tens of thousands.
  highWaterMark: 1,
} as const satisfies ServerOptions;
const MAX_CONNECTIONS = 4_096;

/**
 * Connections on which a large file is arriving. Node counts a request's time from its beginning, and would cut off
 * every upload that takes longer than a minute; whoever puts a connection here watches that it keeps moving.
 */
export const uploading = new WeakSet<object>();

type Fetch = Parameters<typeof getRequestListener>[0];

/** Handles a request before the application sees it; false leaves it to the application. */
export type EarlyListener = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/**
 * An HTTP server around the application. What cannot even be parsed as a request is answered as a problem, like
 * everything else.
 */
export function createHttpServer(
  fetch: Fetch,
  hostname: string,
  limits: ServerOptions = CONNECTION_LIMITS,
  maxConnections = MAX_CONNECTIONS,
  early: EarlyListener = () => false,
): Server {
  const listener = getRequestListener(fetch, { hostname, errorHandler: refusalOf });
  // It handles its own failures.
  const server = createServer(limits, (incoming, outgoing) => {
    if (!early(incoming, outgoing)) void listener(incoming, outgoing);
  });
  server.maxConnections = maxConnections;
  server.on('clientError', answerNonsense);
  return server;
}

function refusalOf(error: unknown): Response {
  const known =
    error instanceof RequestError
      ? new HttpProblem(400, 'malformed_request', 'The address of this request cannot be read.')
      : error;
  return problemResponse(toProblem(known, randomUUID()));
}

const BY_CODE: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'too_large', 'The head of this request is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'too_slow', 'The request did not arrive in time.'],
};
const NONSENSE = [400, 'malformed_request', 'This is no HTTP request.'] as const;

function answerNonsense(error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && uploading.has(socket)) return;
  const [status, code, detail] = BY_CODE[error.code ?? ''] ?? NONSENSE;
  const body = JSON.stringify(toProblem(new HttpProblem(status, code, detail), randomUUID()));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/problem+json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      // An answer to HEAD has no body: bytes after it would be taken for the next answer.
      error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ' ? '' : body,
    ].join('\r\n'),
  );
}
