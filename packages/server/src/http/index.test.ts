import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CONNECTION_LIMITS, createHttpServer, uploading } from './index.ts';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Sends a text piece by piece and returns everything that came back until the connection was closed. */
function dribble(port: number, text: string, everyMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    let sent = 0;
    const socket: Socket = connect(port, '127.0.0.1');
    const timer = setInterval(() => socket.write(text[sent++ % text.length] ?? ''), everyMs);
    cleanUps.push(() => clearInterval(timer));
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.on('error', reject).on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

/** Still long enough for a busy machine to read a head that has come. */
const QUICK = { ...CONNECTION_LIMITS, headersTimeout: 1_000, requestTimeout: 1_500, connectionsCheckingInterval: 50 };

/** Sends half a body and returns everything that came back until the connection was closed. */
function sendHalf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\nhalf'),
    );
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject).on('close', () => resolve(text));
  });
}

describe('connections', () => {
  it('SV-38: a head that never ends is given up', async () => {
    const port = await listening(createHttpServer(() => new Response('ok'), '127.0.0.1', QUICK));
    expect(
      await dribble(port, 'GET / HTTP/1.1\r\nx: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy', 20),
    ).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"too_slow"/);
  });

  it('SV-38: a body that never ends is given up', async () => {
    const fetch = async (request: Request): Promise<Response> => new Response(await request.text());
    const port = await listening(createHttpServer(fetch, '127.0.0.1', QUICK));
    expect(await sendHalf(port)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('SV-145: a connection that waits for its next request stays open', async () => {
    const port = await listening(createHttpServer(() => new Response('ok'), '127.0.0.1', QUICK));
    const socket = connect(port, '127.0.0.1');
    cleanUps.push(() => socket.destroy());
    const ask = (): Promise<string> =>
      new Promise((resolve, reject) => {
        socket.once('close', () => reject(new Error('It was closed.')));
        socket.once('data', (chunk) => resolve(chunk.toString()));
        socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
      });
    expect(await ask()).toMatch(/\r\nkeep-alive: timeout=75\r\n/i);
    // One that came later and says nothing more has been given up meanwhile.
    expect(await dribble(port, 'GET / HTTP/1.1\r\nx: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy', 20)).toMatch(
      / 408 /,
    );
    expect(await ask()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('SV-61: a file that takes its time is not given up, as long as somebody watches it', async () => {
    const server = createHttpServer(async (request) => new Response(await request.text()), '127.0.0.1', QUICK);
    server.prependListener('request', ({ socket, url }) => {
      if (url === '/watched') uploading.add(socket);
    });
    const port = await listening(server);
    const socket = connect(port, '127.0.0.1');
    cleanUps.push(() => socket.destroy());
    const answer = new Promise<string>((resolve, reject) => {
      socket.setEncoding('utf8').on('data', resolve);
      socket.on('error', reject).on('close', () => resolve('closed'));
    });
    socket.write('POST /watched HTTP/1.1\r\nhost: localhost\r\ncontent-length: 8\r\n\r\nhalf');
    await new Promise<void>((resolve) => server.once('request', () => resolve()));
    // One that came later, and that nobody watches, has been given up meanwhile.
    expect(await sendHalf(port)).toMatch(/^HTTP\/1\.1 408 /);
    socket.write('half');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('SV-38: there are at most so many connections, and those that stand go on', async () => {
    const server = createHttpServer(() => new Response('ok'), '127.0.0.1', CONNECTION_LIMITS, 2);
    const port = await listening(server);
    const open = await Promise.all(
      [1, 2].map(
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connect(port, '127.0.0.1', () => resolve(socket));
            cleanUps.push(() => socket.destroy());
          }),
      ),
    );
    await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(2);
    const refused = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => refused.on('error', () => undefined).on('close', () => resolve()));
    const [first] = open;
    const answer = new Promise<string>((resolve) => first?.once('data', (chunk) => resolve(chunk.toString())));
    first?.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('SV-38: the limits of the program are set', () => {
    const server = createHttpServer(() => new Response('ok'), '127.0.0.1');
    expect(server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 60_000, maxConnections: 4_096 });
  });
});
