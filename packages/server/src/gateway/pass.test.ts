import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ask } from '../testing/ask.ts';
import { unusedPort } from '../testing/busy-port.ts';
import { bytesOf, CALLS, startStage } from './testing.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe.each(CALLS)('$protocol', ({ provider, path, headers, body, protocol }) => {
  it.each([true, false])('GW-1: bytes pass as they are in both directions, streamed: %s', async (stream) => {
    const { at, tee } = await startStage();
    const text = body(stream);
    const response = await fetch(`${at(provider)}${path(stream)}`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers, 'user-agent': 'tests/1.0' },
      body: text,
    });
    const got = await bytesOf(response);
    const [exchange] = tee.seen();
    expect(response.status).toBe(200);
    expect(exchange?.sent.toString('utf8')).toBe(text);
    expect(exchange?.url).toBe(path(stream));
    expect(exchange?.headers).toMatchObject({ ...headers, 'user-agent': 'tests/1.0', 'accept-encoding': 'identity' });
    expect(got.length).toBeGreaterThan(100);
    expect(got.equals(exchange?.answered() ?? Buffer.alloc(0))).toBe(true);
    expect(/event-stream/.test(response.headers.get('content-type') ?? '')).toBe(stream);
  });

  it('GW-2: errors, request ids, rate limits and retry hints come back as the vendor sent them', async () => {
    const { at, tee } = await startStage();
    tee.answerWith((_, response) => {
      response.writeHead(429, {
        'content-type': 'application/json',
        'request-id': 'req_1',
        'x-request-id': 'req_2',
        'retry-after': '7',
        'x-should-retry': 'false',
        'anthropic-ratelimit-tokens-remaining': '12',
        'x-ratelimit-reset-requests': '6m0s',
        'x-codex-primary-used-percent': '40',
        'openai-model': 'm',
        'set-cookie': 'a=b',
        'access-control-allow-origin': '*',
        'strict-transport-security': 'max-age=1',
      });
      response.end('{ "error" : 1 }');
      return true;
    });
    const response = await fetch(`${at(provider)}${path(true)}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: body(true),
    });
    expect(response.status).toBe(429);
    expect(await response.text()).toBe('{ "error" : 1 }');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'request-id': 'req_1',
      'x-request-id': 'req_2',
      'retry-after': '7',
      'x-should-retry': 'false',
      'anthropic-ratelimit-tokens-remaining': '12',
      'x-ratelimit-reset-requests': '6m0s',
      'x-codex-primary-used-percent': '40',
      'openai-model': 'm',
    });
    for (const name of ['set-cookie', 'access-control-allow-origin', 'strict-transport-security'])
      expect(response.headers.get(name), name).toBeNull();
    // Clients have retry loops of their own: one request is one request.
    expect(tee.seen()).toHaveLength(1);
  });

  it('GW-3: a vendor that cannot be reached is an error in the form of the protocol', async () => {
    const host = `127.0.0.1:${await unusedPort()}`;
    const { at } = await startStage({
      ANTHROPIC_BASE_URL: `http://${host}`,
      OPENAI_BASE_URL: `http://${host}/v1`,
      GOOGLE_GEMINI_BASE_URL: `http://${host}`,
    });
    const response = await fetch(`${at(provider)}${path(true)}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: body(true),
    });
    const message = `Cannot reach ${host}: nothing listens there. Is the server running?`;
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, 'true']);
    const envelopes: Readonly<Record<string, unknown>> = {
      'anthropic-messages': { type: 'error', error: { type: 'api_error', message } },
      'openai-responses': { error: { message, type: 'server_error', param: null, code: null } },
      'openai-chat': { error: { message, type: 'server_error', param: null, code: null } },
      gemini: { error: { code: 502, message, status: 'UNAVAILABLE' } },
    };
    expect(await response.json()).toEqual(envelopes[protocol]);
  });
});

describe('what else passes', () => {
  it('GW-1: a packed body leaves packed as it came', async () => {
    const { at, tee } = await startStage();
    tee.answerWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return true;
    });
    const packed = gzipSync(CALLS[0].body(false));
    await fetch(`${at('anthropic')}/v1/messages`, {
      method: 'POST',
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      body: packed,
    });
    const [exchange] = tee.seen();
    expect(exchange?.headers['content-encoding']).toBe('gzip');
    expect(exchange?.sent.equals(packed)).toBe(true);
  });

  it('GW-1: an answer that comes packed although it was asked for plain is unpacked and says so', async () => {
    const { at, tee } = await startStage();
    tee.answerWith((_, response) => {
      const body = gzipSync('{"packed":true}');
      const headers = { 'content-encoding': 'gzip', 'content-length': String(body.length) };
      response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(body);
      return true;
    });
    const response = await fetch(`${at('openai')}/v1/embeddings`, { method: 'POST', headers: JSON_TYPE, body: '{}' });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.text()).toBe('{"packed":true}');
  });

  it('GW-4: paths that are no conversation pass, with every method, and the version counts once', async () => {
    const { at, tee } = await startStage();
    tee.answerWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return true;
    });
    const asked: readonly (readonly [string, string, string, string])[] = [
      ['GET', 'anthropic', '/v1/models?limit=3', '/v1/models?limit=3'],
      ['POST', 'anthropic', '/v1/messages/count_tokens', '/v1/messages/count_tokens'],
      ['DELETE', 'anthropic', '/v1/files/file_1', '/v1/files/file_1'],
      ['GET', 'openai_responses', '/models?client_version=1', '/v1/models?client_version=1'],
      ['POST', 'openai_responses', '/v1/responses/compact', '/v1/responses/compact'],
      ['POST', 'openai', '/embeddings', '/v1/embeddings'],
      ['PATCH', 'gemini', '/v1beta/cachedContents/a%2Fb?x=%20', '/v1beta/cachedContents/a%2Fb?x=%20'],
    ];
    for (const [method, provider, path] of asked)
      await fetch(`${at(provider)}${path}`, { method, ...(method === 'POST' ? { body: '{}' } : {}) });
    expect(tee.seen().map(({ method, url }) => `${method} ${url}`)).toEqual(
      asked.map(([method, , , url]) => `${method} ${url}`),
    );
  });

  it('GW-4: a large upload streams through, however long it is', async () => {
    const { at, tee } = await startStage();
    tee.answerWith((exchange, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"bytes":${exchange.sent.length}}`);
      return true;
    });
    const size = 70 * 1024 * 1024;
    const response = await fetch(`${at('openai')}/v1/files`, { method: 'POST', body: Buffer.alloc(size, 1) });
    expect(await response.json()).toEqual({ bytes: size });
  });

  it('GW-5: no path leads out of the address of its provider', async () => {
    const { server, tee } = await startStage();
    for (const path of ['/../../admin', '/v1/%2e%2e/%2e%2e/admin', '/v1/x#y', '/v1\\..\\..\\x'])
      expect((await ask(server.url, { path: `/gateway/openai${path}` })).status, path).toBe(400);
    expect(tee.seen()).toEqual([]);
  });

  it('GW-6: a redirect is not followed, and no key goes where it points', async () => {
    const { at, tee } = await startStage();
    tee.answerWith((_, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' }).end();
      return true;
    });
    const response = await fetch(`${at('anthropic')}/v1/models`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(await response.text()).toContain('redirects elsewhere');
  });

  it('GW-7: whoever only asks whether somebody is there is answered without a key', async () => {
    const { server } = await startStage({ BOUGH_TOKEN: 'a-token-of-this-server' });
    for (const method of ['GET', 'HEAD'])
      for (const path of ['/gateway', '/gateway/anthropic', '/gateway/anthropic/', '/gateway/anthropic/api/hello'])
        expect((await fetch(`${server.url}${path}`, { method })).status, `${method} ${path}`).toBe(200);
  });

  it('GW-8: an upgrade to WebSockets is refused at once, so that the client falls back', async () => {
    const { server, tee } = await startStage();
    const { connect } = await import('node:net');
    const { port } = new URL(server.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.includes('\r\n\r\n')) socket.end();
      });
      socket.on('close', () => resolve(text)).on('error', reject);
      const head = ['Host: 127.0.0.1', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: eA==', '', ''];
      socket.write(['GET /gateway/openai_responses/v1/responses HTTP/1.1', ...head].join('\r\n'));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 426 /);
    expect(tee.seen()).toEqual([]);
  });

  it('GW-9: a provider that Bough does not have is a 404 in the form of the protocol asked for', async () => {
    const { server } = await startStage();
    const response = await fetch(`${server.url}/gateway/nobody/v1/messages`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([404, 'false']);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: expect.stringMatching(/no provider "nobody".*anthropic/) },
    });
    expect((await fetch(`${server.url}/gateway/..%2f/x`)).status).toBe(404);
  });

  it('GW-10: an address that is the gateway itself is refused, not asked without end', async () => {
    const port = await unusedPort();
    const baseUrl = `http://localhost:${port}/gateway/mirror/v1`;
    const { at, server } = await startStage(
      { PORT: String(port) },
      { providers: { mirror: { baseUrl, models: ['m'] } } },
    );
    const response = await fetch(`${at('mirror')}/v1/models`);
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([400, 'false']);
    expect(await response.text()).toContain('is this gateway itself');
    expect(server.logged().filter((line) => line.includes('"gateway"'))).toHaveLength(1);
  });

  it('GW-10: variables that point clients at a gateway are not taken for the address and the key of the vendor', async () => {
    const { server } = await startStage({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:4870/gateway/anthropic',
      ANTHROPIC_API_KEY: 'bough',
    });
    const { providers } = await server.client.listProviders();
    expect(providers.find(({ id }) => id === 'anthropic')).toMatchObject({
      baseUrl: 'https://api.anthropic.com',
      keySource: 'none',
    });
  });
});
