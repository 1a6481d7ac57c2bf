import { routes } from '@bough/api';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ask, codeOf } from './testing/ask.ts';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';

const TOKEN = 'a-long-and-random-test-token';
let server: TestServer;
let reachable: TestServer;
let project: string;
beforeAll(async () => {
  [server, reachable] = await Promise.all([
    startTestServer(),
    startTestServer({ HOST: '0.0.0.0', BOUGH_TOKEN: TOKEN }),
  ]);
  project = (await server.client.createProject({})).project.id;
});
afterAll(async () => {
  await Promise.all([server.dispose(), reachable.dispose()]);
});

const BODY_ROUTES = Object.values(routes)
  .filter((route) => 'request' in route && 'body' in route.request)
  .map(({ method, path }): [string, string] => [method.toUpperCase(), path.replace(/\{\w+\}/g, 'x')]);

describe('how requests are refused', () => {
  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json; charset',
    'application/json, text/plain',
    '',
    undefined,
  ])('SV-31: a body that is declared as %j is 415 on every route that takes one', async (type) => {
    expect(BODY_ROUTES.length).toBeGreaterThan(15);
    for (const [method, path] of BODY_ROUTES) {
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await ask(`${server.url}${path}`, { method, headers, body: '{}' });
      expect([answer.status, codeOf(answer)], `${method} ${path}`).toEqual([415, 'unsupported_media_type']);
    }
    expect((await server.client.listProjects()).projects).toHaveLength(1);
  });

  it('SV-41: an address that is asked with another method is 405, and says which ones it takes', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/api/projects', 'GET, POST'],
      ['POST', `/api/projects/${project}`, 'DELETE, GET, PATCH'],
      ['DELETE', `/api/projects/${project}/chat`, 'POST'],
    ] as const) {
      const answer = await fetch(`${server.url}${path}`, { method });
      expect([answer.status, answer.headers.get('allow')], path).toEqual([405, allow]);
      expect(await answer.json()).toMatchObject({ code: 'method_not_allowed', extra: { allowed: allow.split(', ') } });
    }
    expect((await fetch(`${server.url}/api/nothing`, { method: 'PUT' })).status).toBe(404);
  });

  it('SV-42: a request that names another model is refused without its message', async () => {
    const answer = await ask(`${server.url}/api/projects/${project}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ref: 'main', message: 'the words of a person', llmModel: 'another' }),
    });
    expect([answer.status, codeOf(answer)]).toEqual([409, 'branch_locked']);
    expect(JSON.stringify(answer)).not.toContain('the words of a person');
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
  ])('SV-31: %s is taken', async (type) => {
    const headers = { 'content-type': type };
    const answer = await ask(`${server.url}/api/projects/${project}`, { method: 'PATCH', headers, body: '{}' });
    expect(answer.status).toBe(200);
  });

  it.each([
    '127.0.0.999',
    '127.0.0.1:99999',
    '999.999.999.999',
    '[::1',
    'a b',
    'localhost:x',
    'local\\host',
    '%',
    '127.0.0.1@x',
    '0x7g',
    '127.1.1.1.1',
    '-',
  ])('SV-32: the host %j is refused with a code, on loopback and beyond', async (host) => {
    for (const { url } of [server, reachable]) {
      for (const path of ['/api/projects', '/api/projects/x/history?ref=main', '/']) {
        const answer = await ask(`${url}${path}`, { headers: { host, authorization: `Bearer ${TOKEN}` } });
        if (url === reachable.url && answer.status < 400) continue;
        expect(answer.status, `${host} ${path}`).toBeLessThan(500);
        expect(codeOf(answer), `${host} ${path}`).toMatch(/^(?:forbidden_host|malformed_request|unknown_id)$/);
      }
    }
  });

  it.each([
    ['OPTIONS', '/api/projects', 405],
    ['TRACE', '/api/projects', 405],
    ['DELETE', '/api/projects', 405],
    ['PROPFIND', '/api/projects', 405],
    ['GET', '/api', 404],
    ['GET', '/api/', 404],
    ['GET', '/api/nothing', 404],
    ['GET', '/assets/nothing.js', 404],
    ['POST', '/', 404],
    ['PUT', '/assets/x.js', 404],
    ['OPTIONS', '*', 400],
    ['GET', 'http://evil.example/api/projects', 403],
  ])('SV-32: %s %s is %i, as a problem with a code', async (method, path, status) => {
    const answer = await ask(server.url, { method, path, headers: { host: new URL(server.url).host } });
    expect(answer.status).toBe(status);
    expect(codeOf(answer)).toMatch(/^[a-z_]+$/);
  });

  it('SV-32: what is no HTTP at all, and a head without a host, is a problem with a code', async () => {
    for (const [sent, status] of [
      ['nonsense\r\n\r\n', 400],
      [`GET /api/projects HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 431],
      ['GET /api/projects HTTP/1.1\r\nconnection: close\r\n\r\n', 403],
      ['GET /api/projects HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n', 403],
      ['POST /api/projects HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n', 400],
    ] as const) {
      const text = await rawly(sent);
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(text).toContain('application/problem+json');
      expect(text).toMatch(/"code":"[a-z_]+"/);
    }
  });

  it('SV-32: a HEAD that is refused before it is a request gets no body', async () => {
    const text = await rawly(`HEAD /api/projects HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  it('SV-38: HEAD on a stream leaves nothing running behind', async () => {
    const started = vi.spyOn(globalThis, 'setInterval');
    const ended = vi.spyOn(globalThis, 'clearInterval');
    try {
      for (let count = 0; count < 10; count += 1)
        expect((await ask(`${server.url}/api/projects/${project}/watch`, { method: 'HEAD' })).status).toBe(200);
      const timers = started.mock.results.map(({ value }: { value: unknown }) => value);
      expect(timers.length).toBeGreaterThanOrEqual(10);
      const stopped = () => new Set(ended.mock.calls.map(([timer]) => timer as unknown));
      await expect.poll(() => timers.filter((timer) => !stopped().has(timer)).length).toBe(0);
    } finally {
      started.mockRestore();
      ended.mockRestore();
    }
  });

  it('SV-38: a client that leaves in the middle of its body is no failure of the server', async () => {
    const { hostname, port } = new URL(server.url);
    for (const length of ['content-length: 1000', 'transfer-encoding: chunked']) {
      const logged = server.logged().length;
      const socket = connect(Number(port), hostname, () => {
        const head = ['POST /api/projects HTTP/1.1', 'host: localhost', 'content-type: application/json', length];
        socket.write(`${head.join('\r\n')}\r\n\r\n5\r\n{"nam\r\n`, () => setTimeout(() => socket.destroy(), 50));
      });
      await expect.poll(() => server.logged().length).toBeGreaterThan(logged);
    }
    expect(server.logged().filter((line) => /request_failed|"status":5/.test(line))).toEqual([]);
  });

  it('SV-39: a request has an id of the server’s own, and a long path does not fill the log', async () => {
    const headers = { 'x-request-id': 'chosen-by-the-client' };
    const answer = await ask(`${server.url}/api/${'x'.repeat(8000)}`, { headers });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.stringify(answer)).not.toContain('chosen-by-the-client');
    expect(answer.body.length).toBeLessThan(1000);
    const logged = server.logged();
    expect(logged.join('')).not.toContain('chosen-by-the-client');
    expect(Math.max(...logged.map((line) => line.length))).toBeLessThan(1000);
  });
});

function rawly(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}
