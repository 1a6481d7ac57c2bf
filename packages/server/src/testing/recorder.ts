import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests on to a provider, and keeps their bodies. */
export interface Recorder {
  readonly url: string;
  /** Every body so far, exactly as it came. */
  readonly bodies: () => readonly string[];
  readonly close: () => Promise<void>;
}

export async function startRecorder(target: string): Promise<Recorder> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      bodies.push(body);
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function passOn(target: string, { url = '', headers }: IncomingMessage, body: string) {
  const { authorization = '', 'content-type': type = '' } = headers;
  const answer = await fetch(`${target}${url}`, {
    method: 'POST',
    body,
    headers: { authorization, 'content-type': type },
  });
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
}
