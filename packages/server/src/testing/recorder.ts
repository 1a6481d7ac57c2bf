import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests on to a provider, and keeps their bodies. */
export interface Recorder {
  readonly url: string;
  /** Every body so far, exactly as it came. */
  readonly bodies: () => readonly string[];
  /** How many bytes each of them was announced to have. */
  readonly announced: () => readonly number[];
  /** Keeps none of the bodies from now on: large ones would hide what the server itself takes. */
  readonly keepNone: () => void;
  readonly close: () => Promise<void>;
}

export async function startRecorder(target: string): Promise<Recorder> {
  const bodies: string[] = [];
  const announced: number[] = [];
  let isKept = true;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (isKept) bodies.push(body.toString('utf8'));
      announced.push(Number(request.headers['content-length']));
      passOn(target, request, body).then(
        ({ status, type, text }) => response.writeHead(status, { 'content-type': type }).end(text),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: () => bodies,
    announced: () => announced,
    keepNone: () => {
      isKept = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What belongs to a connection, not to the request. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

async function passOn(target: string, { url = '', headers }: IncomingMessage, body: Buffer<ArrayBuffer>) {
  const answer = await fetch(`${target}${url}`, {
    method: 'POST',
    body,
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        typeof value === 'string' && !OF_CONNECTION.has(name) ? [[name, value]] : [],
      ),
    ),
  });
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
}
