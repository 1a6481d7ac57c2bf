import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { createGunzip } from 'node:zlib';
import type { FuzzRequest } from './requests.ts';

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the body; a stream is left after its first piece. */
  readonly text: string;
}

export interface Sender {
  readonly send: (request: FuzzRequest) => Promise<FuzzAnswer>;
  /** Sends bytes that are not a request; returns the status that came back, 0 where none did. */
  readonly sendBytes: (bytes: string) => Promise<number>;
  readonly close: () => void;
}

const MAX_TEXT = 256 * 1024;
const ANSWER_TIMEOUT_MS = 60_000;
/** A silent stream is left after this time. */
const STREAM_PATIENCE_MS = 200;
const BYTES_PATIENCE_MS = 500;

export function createSender(baseUrl: string, connections: number, token: string | null): Sender {
  const { hostname, port } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const own: Readonly<Record<string, string>> = token === null ? {} : { authorization: `Bearer ${token}` };
  const once = ({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer | 'stale'> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = request(
        { hostname, port, agent, method, path, headers: { ...length, ...own, ...headers } },
        (response) => {
          const isStream = (response.headers['content-type'] ?? '').includes('ndjson');
          let text = '';
          const done = (): void => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          const leave = (): void => {
            response.destroy();
            done();
          };
          if (isStream) setTimeout(leave, STREAM_PATIENCE_MS);
          // A random request may ask for a compressed answer.
          const isCompressed = response.headers['content-encoding'] === 'gzip' && method !== 'HEAD';
          const plain = isCompressed ? response.pipe(createGunzip()) : response;
          plain.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
            if (isStream || text.length >= MAX_TEXT) leave();
          });
          plain.on('end', done).on('error', done);
        },
      );
      sent.setTimeout(ANSWER_TIMEOUT_MS, () => sent.destroy(new Error(`no answer in ${ANSWER_TIMEOUT_MS} ms`)));
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (sent.reusedSocket && error.code === 'ECONNRESET') resolve('stale');
        else reject(error);
      });
      sent.end(body);
    });
  return {
    send: async (asked) => {
      // A kept-alive connection that the server closed at this very moment is neither an answer nor a failure.
      for (;;) {
        const answer = await once(asked);
        if (answer !== 'stale') return answer;
      }
    },
    sendBytes: (bytes) =>
      new Promise((resolve) => {
        let text = '';
        const socket = connect(Number(port), hostname, () => socket.end(bytes));
        socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
        // Half a request gets no answer until the server gives up on it.
        socket.setTimeout(BYTES_PATIENCE_MS, () => socket.destroy());
        socket.on('error', () => socket.destroy());
        socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)));
      }),
    close: () => agent.destroy(),
  };
}
