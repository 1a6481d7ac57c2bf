import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask } from '../testing/ask.ts';
import { CALLS, startStage, VENDOR_KEY } from './testing.ts';

const TOKEN = 'the-token-of-this-bough';
const [anthropic] = CALLS;
const body = anthropic.body(false);

const keysIn = (headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    ['x-api-key', 'authorization', 'x-goog-api-key', 'x-bough-token', 'cookie'].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]]],
    ),
  );

describe('keys', () => {
  it.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    ['none: Bough’s own', {}, { 'x-api-key': VENDOR_KEY }],
    ['the word for none: Bough’s own', { 'x-api-key': 'bough' }, { 'x-api-key': VENDOR_KEY }],
    ['the word as a bearer: Bough’s own', { authorization: 'Bearer bough' }, { 'x-api-key': VENDOR_KEY }],
    ['its own goes on', { 'x-api-key': 'sk-own-0123456789' }, { 'x-api-key': 'sk-own-0123456789' }],
    ['its own login goes on', { authorization: 'Bearer oat-own-1' }, { authorization: 'Bearer oat-own-1' }],
    ['a cookie stays here', { cookie: 'bough_session=x' }, { 'x-api-key': VENDOR_KEY }],
  ])('GW-11: a client with %s', async (_, sent, arrived) => {
    const { at, tee } = await startStage();
    await ask(`${at('anthropic')}/v1/messages`, { method: 'POST', headers: sent, body });
    expect(tee.seen().map(({ headers }) => keysIn(headers))).toEqual([arrived]);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['x-api-key', { 'x-api-key': TOKEN }, ''],
    ['a bearer', { authorization: `Bearer ${TOKEN}` }, ''],
    ['x-goog-api-key', { 'x-goog-api-key': TOKEN }, ''],
    ['the query', {}, `?alt=sse&key=${TOKEN}`],
    ['a header of its own', { 'x-bough-token': TOKEN }, ''],
  ])('GW-12: the token opens the gateway in %s, and never goes on', async (_, headers, query) => {
    const { at, tee, server } = await startStage({ BOUGH_TOKEN: TOKEN });
    const answer = await ask(`${at('anthropic')}/v1/messages${query}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    const [exchange] = tee.seen();
    expect(keysIn(exchange?.headers ?? {})).toEqual({ 'x-api-key': VENDOR_KEY });
    expect(JSON.stringify([exchange?.url, exchange?.headers])).not.toContain(TOKEN);
    expect(exchange?.url).toBe(query === '' ? '/v1/messages' : '/v1/messages?alt=sse');
    expect(server.logged().join('')).not.toContain(TOKEN);
  });

  it('GW-12: next to the token, the client’s own key goes on', async () => {
    const { at, tee } = await startStage({ BOUGH_TOKEN: TOKEN });
    const headers = { 'x-bough-token': TOKEN, 'x-api-key': 'sk-own-0123456789' };
    await ask(`${at('anthropic')}/v1/messages`, { method: 'POST', headers, body });
    expect(tee.seen().map((exchange) => keysIn(exchange.headers))).toEqual([{ 'x-api-key': 'sk-own-0123456789' }]);
  });

  it('GW-12: without the token nothing passes; the refusal has the form of the protocol', async () => {
    const { at, tee } = await startStage({ BOUGH_TOKEN: TOKEN });
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { authorization: 'Bearer wrong' }, { 'x-api-key': 'bough' }]) {
      const answer = await ask(`${at('anthropic')}/v1/messages`, { method: 'POST', headers, body });
      expect([answer.status, answer.headers['x-should-retry']]).toEqual([401, 'false']);
      expect(JSON.parse(answer.body)).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
    }
    expect(tee.seen()).toEqual([]);
  });

  it('GW-11: a provider without any key is refused in words that help, not asked', async () => {
    const { at, tee } = await startStage({ ANTHROPIC_API_KEY: '' });
    const answer = await ask(`${at('anthropic')}/v1/messages`, { method: 'POST', body });
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { message: expect.stringContaining('ANTHROPIC_API_KEY') } });
    expect(tee.seen()).toEqual([]);
  });

  it('GW-13: no secret of a client is in the log, in the metrics or in the data directory', async () => {
    const { at, server } = await startStage();
    const secrets = ['sk-own-0123456789abcdef', 'AIza-own-0123456789abcdef', 'oat-own-0123456789abcdef'];
    const [key = '', google = '', login = ''] = secrets;
    const headers = { 'x-api-key': key, authorization: `Bearer ${login}`, 'x-goog-api-key': google };
    await ask(`${at('anthropic')}/v1/messages?key=${key}&access_token=${login}`, { method: 'POST', headers, body });
    await ask(`${at('gemini')}${CALLS[3].path(true)}&key=${google}`, { method: 'POST', body: CALLS[3].body() });
    await ask(`${at('nobody')}/v1/messages?key=${key}`, { method: 'POST', headers, body });
    const metrics = await (await fetch(`${server.url}/api/metrics`)).text();
    await server.stop();
    const files = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
    );
    const everything = [...server.logged(), metrics, ...contents].join('\n');
    expect(everything).toContain('/gateway/anthropic/v1/messages');
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });
});

describe('who may ask', () => {
  it('SV-140: the gateway refuses foreign hosts and origins like the API, in the form of the protocol', async () => {
    const { at, tee, server } = await startStage();
    const url = `${at('anthropic')}/v1/messages`;
    const { host } = new URL(server.url);
    const foreign: readonly Readonly<Record<string, string>>[] = [
      { host: 'rebound.example' },
      { host: `rebound.example:${host.split(':')[1]}` },
      { origin: 'http://elsewhere.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const answer = await ask(url, { method: 'POST', headers, body });
      expect([answer.status, JSON.parse(answer.body)], JSON.stringify(headers)).toMatchObject([
        403,
        { type: 'error', error: { type: 'permission_error' } },
      ]);
    }
    const preflight = await ask(url, { method: 'OPTIONS', headers: { origin: `http://${host}` } });
    expect(preflight.status).toBe(405);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(tee.seen()).toEqual([]);
  });

  it('SV-140: what a vendor answers is no page of this server', async () => {
    const { at, tee } = await startStage();
    tee.answerWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<script>alert(1)</script>');
      return true;
    });
    const answer = await ask(`${at('anthropic')}/page`);
    expect(answer.headers).toMatchObject({
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  it('SV-141: guessing the token through the gateway is slowed down', async () => {
    const { at } = await startStage({ BOUGH_TOKEN: TOKEN });
    const statuses: number[] = [];
    for (let guess = 0; guess < 62; guess += 1) {
      const headers = { 'x-api-key': `guess-${guess}` };
      statuses.push((await ask(`${at('anthropic')}/v1/models`, { headers })).status);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    const right = await ask(`${at('anthropic')}/v1/models`, { headers: { 'x-api-key': TOKEN } });
    expect(right.status).toBe(200);
  });
});
