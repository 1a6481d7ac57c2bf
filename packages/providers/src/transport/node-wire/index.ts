import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Wire, WireReply, WireRequest } from '../forward/wire.ts';
import { unpacked } from './unpacked.ts';

/** As long as fetch keeps a connection that nobody uses: servers close them, and what they are asked then is lost. */
const KEPT = { keepAlive: true, timeout: 4_000 } as const;
const PIECE_BYTES = 256 * 1024;

/**
 * Carries requests over Node's own client. fetch wraps each of their pieces, and each of a reply's, in streams of the
 * web platform and copies them: for a request of 500 kB and a reply of 63 pieces, 1.6 ms of processor time instead of
 * 0.8.
 */
export function createNodeWire(): Wire {
  const http = new HttpAgent(KEPT);
  const https = new HttpsAgent(KEPT);
  return (asked) =>
    new Promise((resolve, reject) => {
      const { url, method, headers, signal, onWaiting, onConnected } = asked;
      const isSecure = url.startsWith('https:');
      const request = isSecure
        ? requestHttps(url, { method, headers, signal, agent: https })
        : requestHttp(url, { method, headers, signal, agent: http });
      request.on('error', reject);
      request.once('response', (incoming) => resolve(replyOf(incoming)));
      onWaiting();
      request.once('socket', (socket) => {
        if (request.reusedSocket) onConnected();
        else socket.once(isSecure ? 'secureConnect' : 'connect', onConnected);
      });
      // A body that cannot be read to its end must not look whole.
      send(request, asked).catch((error: unknown) => request.destroy(error instanceof Error ? error : undefined));
    });
}

async function send(request: ClientRequest, { body, onPiece }: WireRequest): Promise<void> {
  if (body === null) return void request.end();
  if (body instanceof Uint8Array) {
    request.setHeader('content-length', body.length);
    // With its head in one write.
    if (body.length <= PIECE_BYTES) return void request.end(body);
  }
  for await (const piece of body instanceof Uint8Array ? piecesOf(body) : body) {
    if (request.destroyed) return;
    onPiece();
    if (!request.write(piece)) await room(request);
  }
  request.end();
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array, void, void> {
  for (let from = 0; from < body.length; from += PIECE_BYTES) yield body.subarray(from, from + PIECE_BYTES);
}

/** Waits until what was written has left, or nothing leaves any more. */
function room(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    if (request.destroyed) return resolve();
    const done = (): void => {
      request.off('drain', done);
      request.off('close', done);
      resolve();
    };
    request.on('drain', done);
    request.on('close', done);
  });
}

function replyOf(incoming: IncomingMessage): WireReply {
  const headers = Object.entries(incoming.headersDistinct).map(([name, values]) => [name, values?.join(', ') ?? '']);
  const pieces = unpacked(incoming)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    read: async () => {
      const { done, value } = await pieces.next();
      return done === true ? null : value;
    },
    cancel: () => incoming.destroy(),
  };
}
