import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that speaks enough of the chat protocol for one reply, and remembers who asked with what. */
export interface Vendor {
  readonly url: string;
  /** The headers of every request so far. */
  readonly asked: () => readonly IncomingHttpHeaders[];
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
  const server: Server = createServer((request, response) => {
    asked.push(request.headers);
    request.resume();
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
