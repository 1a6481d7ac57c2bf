import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Deployment } from '../../deployment.ts';
import { anthropic } from '../../deployments/anthropic.ts';
import type { TransportOptions } from '../options.ts';
import { settingsOf } from '../options.ts';
import { createPublicFetch } from '../public-fetch/index.ts';
import { closeServers, KEY, serve, serveSilence } from '../testing.ts';
import { addressBelow } from './address.ts';
import type { Forwarded, ForwardInput } from './index.ts';
import { forward } from './index.ts';

afterEach(closeServers);

interface Options extends TransportOptions {
  readonly input?: Partial<ForwardInput>;
  readonly deployment?: Partial<Deployment>;
  readonly key?: string | null;
}

function forwardTo(baseUrl: string, { input = {}, deployment = {}, key = KEY, ...transport }: Options = {}) {
  return forward(
    {
      method: 'POST',
      path: '/v1/messages?beta=true',
      headers: { 'content-type': 'application/json' },
      hasKey: false,
      body: Buffer.from('{}'),
      signal: new AbortController().signal,
      ...input,
    },
    {
      deployment: { ...anthropic, baseUrl, ...deployment },
      key,
      keyProblem: key === null ? { code: 'provider_not_ready', message: 'Set ANTHROPIC_API_KEY.' } : null,
      settings: settingsOf(transport),
    },
  );
}

/** The bytes of an answer, and how they ended. */
async function read(forwarded: Forwarded): Promise<readonly [string, string]> {
  if (forwarded.type !== 'answered') return ['', JSON.stringify(forwarded)];
  let text = '';
  for (;;) {
    const piece = await forwarded.body.next();
    if (piece.type !== 'bytes') return [text, piece.type === 'failed' ? piece.error.message : piece.type];
    text += Buffer.from(piece.bytes).toString();
  }
}

describe('addresses', () => {
  it.each<[string, string, string | null]>([
    ['https://a.example', '/v1/messages?x=%2F', 'https://a.example/v1/messages?x=%2F'],
    ['https://a.example/v1', '/v1/responses', 'https://a.example/v1/responses'],
    ['https://a.example/v1', '/responses', 'https://a.example/v1/responses'],
    ['https://a.example/v1/', '/v1/', 'https://a.example/v1/'],
    ['https://a.example/openai/v1', '/v1/chat/completions', 'https://a.example/openai/v1/chat/completions'],
    ['https://a.example/openai/v1', '/openai/v1/models', 'https://a.example/openai/v1/models'],
    ['https://a.example/v1', '/v1beta/x', 'https://a.example/v1/v1beta/x'],
    ['https://a.example', '//b.example/x', 'https://a.example//b.example/x'],
    ['https://a.example/v1', '/../admin', null],
    ['https://a.example/v1', '/v1/%2e%2E/admin', null],
    ['https://a.example/v1', '/v1/a/../b', 'https://a.example/v1/a/../b'],
    ['https://a.example/v1', '/v1/\\..\\..\\x', null],
  ])('TRN-14: %s and %s are %s', (base, path, expected) => {
    expect(addressBelow(base, path)).toBe(expected);
  });
});

describe('forwarding', () => {
  it('TRN-14: the client’s head and bytes leave as they are, with the key of the deployment if it has none', async () => {
    const seen: unknown[] = [];
    const url = await serve((response, request) => {
      const {
        'x-api-key': key,
        authorization,
        'anthropic-version': version,
        'accept-encoding': packing,
      } = request.headers;
      seen.push([request.method, request.url, key, authorization, version, packing]);
      response.end('ok');
    });
    await read(await forwardTo(url));
    await read(await forwardTo(url, { input: { hasKey: true, headers: { authorization: 'Bearer own' } } }));
    const get = { method: 'GET', path: '/v1/models', body: null, headers: { 'anthropic-version': '2030-01-01' } };
    await read(await forwardTo(url, { input: get }));
    expect(seen).toEqual([
      ['POST', '/v1/messages?beta=true', KEY, undefined, '2023-06-01', 'identity'],
      ['POST', '/v1/messages?beta=true', undefined, 'Bearer own', '2023-06-01', 'identity'],
      ['GET', '/v1/models', KEY, undefined, '2030-01-01', 'identity'],
    ]);
  });

  it('TRN-14: nothing is tried twice, and errors come back as they are', async () => {
    let attempts = 0;
    const url = await serve((response, _, attempt) => {
      attempts = attempt;
      response.writeHead(503, { 'retry-after': '1' }).end('busy');
    });
    const forwarded = await forwardTo(url);
    expect(forwarded).toMatchObject({ type: 'answered', status: 503 });
    expect(await read(forwarded)).toEqual(['busy', 'end']);
    expect(attempts).toBe(1);
  });

  it('TRN-14: neither a path out of the address, nor a redirect, nor a key that no header can hold is sent on', async () => {
    let attempts = 0;
    const url = await serve((response, _, attempt) => {
      attempts = attempt;
      response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
    });
    expect(await forwardTo(`${url}/v1`, { input: { path: '/../x' } })).toMatchObject({
      error: { code: 'invalid_request' },
    });
    expect(await forwardTo(url, { key: null })).toMatchObject({ error: { code: 'authentication' } });
    const broken = await forwardTo(url, { key: 'two words' });
    expect(broken).toMatchObject({ error: { code: 'authentication' } });
    expect(JSON.stringify(broken)).not.toContain('two words');
    expect(attempts).toBe(0);
    expect(await forwardTo(url)).toMatchObject({ type: 'failed', error: { code: 'invalid_request', status: 302 } });
    expect(attempts).toBe(1);
  });

  it('TRN-14: the limits for connection, first byte and silence hold; a slow upload is no silence', async () => {
    const connecting = await forwardTo(await serveSilence(), { connectTimeoutMs: 80 });
    expect(connecting).toMatchObject({ type: 'failed', error: { code: 'timeout' } });
    const mute = await serve(() => undefined);
    expect(await forwardTo(mute, { clientTimeoutMs: 60 })).toMatchObject({ error: { code: 'timeout' } });
    const halting = await serve((response) => void response.writeHead(200).write('half'));
    const [text, end] = await read(await forwardTo(halting, { clientTimeoutMs: 60 }));
    expect([text, end]).toEqual(['half', expect.stringContaining('fell silent')]);
    const patient = await serve((response, request) => void request.on('end', () => response.end('got it')));
    const slow = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        for (let count = 0; count < 6; count += 1) {
          controller.enqueue(Buffer.from('piece'));
          await sleep(60);
        }
        controller.close();
      },
    });
    expect(await read(await forwardTo(patient, { clientTimeoutMs: 200, input: { body: slow } }))).toEqual([
      'got it',
      'end',
    ]);
  });

  it('TRN-102: where Node’s own fetch has given up, the client still gets its answer', async () => {
    const own = Symbol.for('undici.globalDispatcher.1');
    const holder = globalThis as unknown as Record<
      symbol,
      { dispatch: (request: object, handler: unknown) => boolean }
    >;
    void globalThis.Headers;
    const nodes = holder[own];
    if (nodes === undefined) throw new Error('This is not Node’s fetch.');
    // As Node would do it after 300 s.
    const hasty = (request: object, handler: unknown) =>
      nodes.dispatch({ headersTimeout: 100, bodyTimeout: 100, ...request }, handler);
    holder[own] = { dispatch: hasty };
    try {
      const waiting: ServerResponse[] = [];
      const url = await serve((response) => void waiting.push(response));
      const forwarded = forwardTo(url);
      const code = await fetch(url).catch((error: Error) => (error.cause as { code?: string }).code);
      expect(code).toBe('UND_ERR_HEADERS_TIMEOUT');
      for (const response of waiting) response.writeHead(200).write('begun, ');
      const begun = await forwarded;
      const halting = await serve((response) => void response.writeHead(200).write('half'));
      await expect(fetch(halting).then((response) => response.text())).rejects.toThrow('terminated');
      for (const response of waiting) response.end('ended');
      expect(await read(begun)).toEqual(['begun, ended', 'end']);
    } finally {
      holder[own] = nodes;
    }
  });

  it('TRN-14: an abort ends it, before the answer and within', async () => {
    const mute = await serve(() => undefined);
    const early = new AbortController();
    const waiting = forwardTo(mute, { input: { signal: early.signal } });
    setTimeout(() => early.abort(), 30);
    expect(await waiting).toEqual({ type: 'aborted' });
    const halting = await serve((response) => void response.writeHead(200).write('half'));
    const late = new AbortController();
    const forwarded = await forwardTo(halting, { input: { signal: late.signal } });
    setTimeout(() => late.abort(), 30);
    expect(await read(forwarded)).toEqual(['half', 'aborted']);
  });

  it.each([true, false])(
    'TRN-15: what comes packed is unpacked by every fetch, as it arrives (guarded: %s)',
    async (isGuarded) => {
      const url = await serve((response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('plain words'));
      });
      const fetch = isGuarded ? createPublicFetch({ isAllowed: () => true }) : globalThis.fetch;
      expect(await read(await forwardTo(url, { fetch }))).toEqual(['plain words', 'end']);
    },
  );

  it('TRN-15: the guarded fetch sends bytes as they are', async () => {
    const got: Buffer[] = [];
    const url = await serve((response, request) => {
      request.on('data', (piece: Buffer) => got.push(piece)).on('end', () => response.end());
    });
    const bytes = Buffer.from([0, 255, 10, 13, 200]);
    await read(await forwardTo(url, { fetch: createPublicFetch({ isAllowed: () => true }), input: { body: bytes } }));
    expect(Buffer.concat(got).equals(bytes)).toBe(true);
  });
});
