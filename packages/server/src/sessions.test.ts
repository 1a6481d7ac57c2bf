import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from './testing/ask.ts';
import { ask } from './testing/ask.ts';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';

const TOKEN = 'a-long-and-random-test-token';
const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0).toReversed()) await server.dispose();
});

async function start(token = TOKEN, dataDir?: string): Promise<TestServer> {
  const server = await startTestServer({ BOUGH_TOKEN: token }, undefined, dataDir);
  servers.push(server);
  return server;
}

async function open(server: TestServer): Promise<string> {
  const { headers } = await ask(`${server.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: TOKEN }),
  });
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

const close = (server: TestServer, cookie: string): Promise<Answer> =>
  ask(`${server.url}/api/session`, { method: 'DELETE', headers: { cookie } });
const statusWith = async (server: TestServer, cookie: string): Promise<number> =>
  (await ask(`${server.url}/api/projects`, { headers: { cookie } })).status;

describe('sessions', () => {
  it('SV-33: a session that was closed is over on the server, for good, and no other with it', async () => {
    const server = await start();
    const [first, second] = [await open(server), await open(server)];
    expect(first).not.toBe(second);
    expect([await statusWith(server, first), await statusWith(server, second)]).toEqual([200, 200]);
    expect((await close(server, first)).status).toBe(204);
    expect([await statusWith(server, first), await statusWith(server, second)]).toEqual([401, 200]);
    await server.stop();
    const again = await start(TOKEN, server.dataDir);
    expect([await statusWith(again, first), await statusWith(again, second)]).toEqual([401, 200]);
    expect((await close(again, first)).status).toBe(204);
  });

  it('SV-33: servers with one token take each other’s sessions; another token ends them all', async () => {
    const [server, neighbour] = [await start(), await start()];
    const cookie = await open(server);
    expect(await statusWith(neighbour, cookie)).toBe(200);
    await server.stop();
    const changed = await start('another-long-and-random-token', server.dataDir);
    expect(await statusWith(changed, cookie)).toBe(401);
  });

  it('SV-33: a session that nobody opened, or that is prolonged by hand, is none', async () => {
    const server = await start();
    const cookie = await open(server);
    const [name, value = ''] = cookie.split('=');
    const [id, expires, seal] = value.split('.');
    for (const forged of [
      `${id}.${Number(expires) + 1}.${seal}`,
      `${id}x.${expires}.${seal}`,
      `${id}.${expires}.`,
      `..`,
      `${id}.NaN.${seal}`,
      'x'.repeat(4000),
    ])
      expect(await statusWith(server, `${name}=${forged}`)).toBe(401);
    for (let count = 0; count < 20; count += 1) await close(server, `${name}=${id}.${count}.${seal}`);
    expect(await statusWith(server, cookie)).toBe(200);
  });
});
