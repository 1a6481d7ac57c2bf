import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that speaks enough of the chat protocol for one reply, and remembers who asked with what. */
export interface Vendor {
  readonly url: string;
  /** The headers of every request so far. */
  readonly asked: () => readonly IncomingHttpHeaders[];
  /** The bodies of every request so far. */
  readonly bodies: () => readonly string[];
  /** From now on: what a path is answered with; null for the usual reply. */
  readonly answerTo: (choose: (path: string) => VendorAnswer | null) => void;
  readonly close: () => Promise<void>;
}

export interface VendorAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const REPLY: VendorAnswer = {
  status: 200,
  type: 'text/event-stream',
  body: 'data: {"id":"r","choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
};

export async function startVendor(answer: VendorAnswer = REPLY): Promise<Vendor> {
  const asked: IncomingHttpHeaders[] = [];
  const bodies: string[] = [];
  let choose: (path: string) => VendorAnswer | null = () => null;
  const server: Server = createServer((request, response) => {
    asked.push(request.headers);
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => bodies.push(body));
    const chosen = choose(request.url ?? '') ?? answer;
    response.writeHead(chosen.status, { 'content-type': chosen.type }).end(chosen.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    bodies: () => bodies,
    answerTo: (chosen) => {
      choose = chosen;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
