import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Deployment } from '../../deployment.ts';
import { anthropic } from '../../deployments/anthropic.ts';
import type { TransportOptions } from '../options.ts';
import { createNodeWire } from '../node-wire/index.ts';
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

function forwardOver(baseUrl: string, { input = {}, deployment = {}, key = KEY, ...transport }: Options = {}) {
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

const WIRES: readonly (readonly [string, TransportOptions])[] = [
  ['fetch', {}],
  ['Node', { wire: createNodeWire() }],
];

describe.each(WIRES)('forwarding over %s', (_, own) => {
  const forwardTo = (baseUrl: string, options: Options = {}) => forwardOver(baseUrl, { ...own, ...options });

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

  it('TRN-16: a body of any length arrives as it left, whole or as a stream, with its length where that is known', async () => {
    const got: (readonly [string | undefined, Buffer])[] = [];
    const url = await serve((response, request) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        got.push([request.headers['content-length'], Buffer.concat(pieces)]);
        response.end('taken');
      });
    });
    const bodies = [0, 5, 64 * 1024, 256 * 1024 + 1, 3_000_000].map((length) => Buffer.alloc(length, 'bytes'));
    for (const body of bodies) expect(await read(await forwardTo(url, { input: { body } }))).toEqual(['taken', 'end']);
    expect(got.map(([length]) => Number(length))).toEqual(bodies.map(({ length }) => length));
    const long = Buffer.alloc(1_000_000, 'stream');
    const stream = new Blob([long]).stream();
    expect(await read(await forwardTo(url, { input: { body: stream } }))).toEqual(['taken', 'end']);
    expect(got.map(([, bytes]) => bytes).every((bytes, at) => bytes.equals(bodies[at] ?? long))).toBe(true);
  });

  it('TRN-16: a reply that breaks off is told as that, and so is a body that does; a server that closes is not', async () => {
    const breaking = await serve((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.destroy(), 30);
    });
    const [text, end] = await read(await forwardTo(breaking));
    expect([text, end]).toEqual(['half', expect.stringContaining('Cannot reach')]);
    const mute = await serve((_, request) => void request.resume());
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('The client is gone.')),
    });
    expect(await forwardTo(mute, { input: { body: broken } })).toMatchObject({ type: 'failed' });
    const closing = await serve((response) => response.writeHead(200, { connection: 'close' }).end('all'));
    for (const _ of [1, 2]) expect(await read(await forwardTo(closing))).toEqual(['all', 'end']);
    const nobody = await forwardTo('http://127.0.0.1:9');
    expect(nobody).toMatchObject({ type: 'failed', error: { code: 'network' } });
  });

  it('TRN-16: what is left unread is given up, and the next request is answered', async () => {
    let gone = 0;
    const url = await serve((response) => {
      response.on('close', () => (gone += response.writableFinished ? 0 : 1));
      response.writeHead(200).write('half');
    });
    for (const _ of [1, 2]) {
      const forwarded = await forwardTo(url);
      if (forwarded.type !== 'answered') throw new Error('It was answered.');
      expect(await forwarded.body.next()).toMatchObject({ type: 'bytes' });
      forwarded.body.abandon();
      expect(await forwarded.body.next()).toEqual({ type: 'aborted' });
    }
    await expect.poll(() => gone, { timeout: 10_000 }).toBe(2);
  });

  it('TRN-15: what comes packed is unpacked, as it arrives', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('plain words'));
    });
    expect(await read(await forwardTo(url))).toEqual(['plain words', 'end']);
  });
});

describe('forwarding over the guarded fetch', () => {
  const guarded = { fetch: createPublicFetch({ isAllowed: () => true }) };

  it('TRN-15: what comes packed is unpacked, as it arrives', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('plain words'));
    });
    expect(await read(await forwardOver(url, guarded))).toEqual(['plain words', 'end']);
  });

  it('TRN-15: the guarded fetch sends bytes as they are', async () => {
    const got: Buffer[] = [];
    const url = await serve((response, request) => {
      request.on('data', (piece: Buffer) => got.push(piece)).on('end', () => response.end());
    });
    const bytes = Buffer.from([0, 255, 10, 13, 200]);
    await read(await forwardOver(url, { ...guarded, input: { body: bytes } }));
    expect(Buffer.concat(got).equals(bytes)).toBe(true);
  });
});
