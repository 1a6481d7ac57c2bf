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
      const { authorization = '', 'content-type': type = '' } = request.headers;
      fetch(`${target}${request.url ?? ''}`, { method: 'POST', body, headers: { authorization, 'content-type': type } })
        .then(async (answer) => {
          const text = await answer.text();
          response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
        })
        .catch(() => response.destroy());
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
