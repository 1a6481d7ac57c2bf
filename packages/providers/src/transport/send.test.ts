import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamEvent } from '@bough/core';
import { afterEach, describe, expect, it } from 'vitest';
import type { Deployment } from '../deployment.ts';
import { unknownModel } from '../models/lookup.ts';
import type { PreparedRequest, Protocol } from '../protocol.ts';
import type { Reply, ReplyBatch } from '../provider.ts';
import type { TransportOptions } from './options.ts';
import { settingsOf } from './options.ts';
import { send } from './send.ts';

/** The smallest protocol: every event is a text, `end` is the stop, `bug` makes the fold throw. */
const plain: Protocol = {
  id: 'anthropic-messages',
  prepare: () => {
    throw new Error('not needed');
  },
  createFold: () => ({
    push: ({ data }) => {
      if (data === 'bug') throw new Error('a bug with sk-abc123456789');
      if (data === 'end') return [{ type: 'stop', reason: 'end_turn' }];
      return [{ type: 'text', index: 0, text: data }];
    },
    end: (outcome) => {
      if (outcome.type === 'aborted') return [{ type: 'stop', reason: 'interrupted' }];
      if (outcome.type === 'failed')
        return [
          { type: 'error', error: outcome.error },
          { type: 'stop', reason: 'error' },
        ];
      return [{ type: 'stop', reason: 'unknown' }];
    },
  }),
  foldBody: (body) => [
    { type: 'text', index: 0, text: body },
    { type: 'stop', reason: 'end_turn' },
  ],
  toContentBlocks: () => [],
  readError: (status, body) => ({
    code: status === 429 ? 'rate_limit' : 'server',
    message: `${status}: ${body}`,
    retryable: status === 429 || status >= 500,
  }),
  check: () => [],
};

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Handler = (response: ServerResponse, request: IncomingMessage, attempt: number) => void;

async function serve(handler: Handler): Promise<string> {
  let attempts = 0;
  const server = createHttpServer((request, response) => {
    attempts += 1;
    request.resume();
    handler(response, request, attempts);
  });
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that accepts and never shakes hands: to a TLS client the connection never stands. */
async function serveSilence(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
  });
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const KEY = 'top-secret-0123456789';

function sendTo(
  baseUrl: string,
  options: TransportOptions & { signal?: AbortSignal; key?: string | null; request?: Partial<PreparedRequest> } = {},
): Reply {
  const { signal = new AbortController().signal, key = KEY, request = {}, ...transport } = options;
  const deployment: Deployment = {
    id: 'test',
    label: 'Test',
    protocol: 'anthropic-messages',
    baseUrl,
    keyEnv: ['TEST_KEY'],
    baseUrlEnv: [],
    keyOptional: false,
    authHeaders: (secret) => ({ 'x-api-key': secret }),
    headers: {},
    models: [],
    defaultModel: 'm',
    modelInfo: unknownModel,
    quirks: {},
  };
  return send({
    deployment,
    protocol: plain,
    key,
    signal,
    settings: settingsOf({ backoffMs: 1, random: () => 0, ...transport }),
    request: {
      protocol: 'anthropic-messages',
      issuer: { provider: 'test', deployment: 'test@here', model: 'm' },
      method: 'POST',
      url: `${baseUrl}/reply`,
      headers: { 'content-type': 'application/json' },
      body: '{"hello":"world"}',
      stream: true,
      notes: [],
      violations: [],
      renderings: [],
      ...request,
    },
  });
}

async function collect(reply: Reply): Promise<{ batches: ReplyBatch[]; events: StreamEvent[] }> {
  const batches: ReplyBatch[] = [];
  for await (const batch of reply.batches) batches.push(batch);
  const events = batches.flatMap((batch) => batch.events);
  expect(events.filter((event) => event.type === 'stop')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('stop');
  expect(batches.flatMap((batch) => batch.raw)).toEqual(reply.raw().payload);
  return { batches, events };
}

const texts = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');
const errorOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.type === 'error' ? [event.error] : []))[0];
const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });

describe('a reply', () => {
  it('TRN-1: gives raw and meaning together, and raw in the end', async () => {
    const url = await serve((response) => stream(response).end('data: a\n\nevent: x\ndata: b\n\ndata: end\n\n'));
    const reply = sendTo(url);
    expect(await reply.head).toEqual({ providerRequestId: 'req_1' });
    const { events } = await collect(reply);
    expect(events).toEqual([
      { type: 'text', index: 0, text: 'a' },
      { type: 'text', index: 0, text: 'b' },
      { type: 'stop', reason: 'end_turn' },
    ]);
    expect(reply.raw()).toMatchObject({
      provider: 'test',
      deployment: 'test@here',
      model: 'm',
      api: 'anthropic-messages',
      complete: true,
      payload: [{ data: 'a' }, { event: 'x', data: 'b' }, { data: 'end' }],
    });
  });

  it('TRN-5: what a provider sends behind the end is kept, and the stop is still the last event', async () => {
    const url = await serve((response) => stream(response).end('data: a\n\ndata: end\n\ndata: after\n\n'));
    const reply = sendTo(url);
    const { events } = await collect(reply);
    expect(texts(events)).toBe('a');
    expect(reply.raw().payload).toEqual([{ data: 'a' }, { data: 'end' }, { data: 'after' }]);
  });

  it('TRN-5: a connection that stays open behind the end does not hold the reply up', async () => {
    const url = await serve((response) => stream(response).write('data: a\n\ndata: end\n\n'));
    const reply = sendTo(url, { drainTimeoutMs: 30 });
    const { events } = await collect(reply);
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'end_turn' });
    expect(reply.raw().complete).toBe(true);
  });

  it.each(['application/json', 'text/plain', ''])('TRN-4: a body of type "%s" is folded whole', async (type) => {
    const url = await serve((response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type });
      response.write('{"an');
      response.end('swer":"é"}');
    });
    const reply = sendTo(url);
    const events = [];
    for await (const batch of reply.batches) events.push(...batch.events);
    expect(texts(events)).toBe('{"answer":"é"}');
    expect(reply.raw()).toMatchObject({ complete: true, payload: { response: '{"answer":"é"}' } });
  });

  it('TRN-4: an event stream under a wrong type is read as one', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('data: a\n\ndata: end\n\n');
    });
    expect(texts((await collect(sendTo(url))).events)).toBe('a');
  });

  it('TRN-3: a cut in the middle of an event keeps its bytes and tells of the cut', async () => {
    const url = await serve((response) => {
      stream(response).write('data: a\n\ndata: {"half', () => response.destroy());
    });
    const reply = sendTo(url);
    const { events } = await collect(reply);
    expect(texts(events)).toBe('a');
    expect(errorOf(events)).toMatchObject({ code: 'network', retryable: true });
    expect(reply.raw()).toMatchObject({ complete: false, payload: [{ data: 'a' }, { data: '{"half' }] });
  });

  it('TRN-3: an end without the last blank line loses nothing', async () => {
    const url = await serve((response) => stream(response).end('data: "a"\n\ndata: {"last":1}'));
    expect(texts((await collect(sendTo(url))).events)).toBe('"a"{"last":1}');
  });

  it('TRN-8: a fold that fails ends the reply with an error and takes nobody along', async () => {
    const url = await serve((response) => stream(response).end('data: a\n\ndata: bug\n\ndata: b\n\n'));
    const reply = sendTo(url);
    const { events } = await collect(reply);
    expect(events.map((event) => event.type)).toEqual(['text', 'error', 'stop']);
    expect(errorOf(events)).toMatchObject({
      code: 'malformed',
      message: expect.stringContaining('a bug with [redacted]'),
    });
    expect(reply.raw().payload).toHaveLength(3);
  });
});

describe('retry', () => {
  it('TRN-6: happens before the first byte, and the reply knows nothing of it', async () => {
    const url = await serve((response, _, attempt) => {
      if (attempt === 1) response.destroy();
      else if (attempt === 2) response.writeHead(429, { 'retry-after-ms': '1' }).end('slow down');
      else stream(response).end('data: a\n\ndata: end\n\n');
    });
    expect(texts((await collect(sendTo(url))).events)).toBe('a');
  });

  it('TRN-6: stops when the attempts are used up, with the last error', async () => {
    let attempts = 0;
    const url = await serve((response) => {
      attempts += 1;
      response.writeHead(503).end(`no. ${attempts}`);
    });
    const { events } = await collect(sendTo(url, { retries: 2 }));
    expect(attempts).toBe(3);
    expect(errorOf(events)).toMatchObject({ code: 'server', status: 503, message: '503: no. 3' });
  });

  it('TRN-6: never after the first byte', async () => {
    let attempts = 0;
    const url = await serve((response) => {
      attempts += 1;
      stream(response).write('data: a\n\n', () => response.destroy());
    });
    const { events } = await collect(sendTo(url));
    expect(attempts).toBe(1);
    expect(events.map((event) => event.type)).toEqual(['text', 'error', 'stop']);
  });

  it('TRN-6: a longer wait than we have patience for is told instead of waited', async () => {
    const url = await serve((response) => response.writeHead(429, { 'retry-after': '3600' }).end('later'));
    const { events } = await collect(sendTo(url));
    expect(errorOf(events)?.message).toContain('wait 3600 s');
  });

  it('TRN-6: a request that can never succeed is sent once', async () => {
    let attempts = 0;
    const url = await serve((response) => {
      attempts += 1;
      response.writeHead(400, { 'x-request-id': 'req_2' }).end('bad');
    });
    const { events } = await collect(sendTo(url));
    expect(attempts).toBe(1);
    expect(errorOf(events)).toMatchObject({ status: 400, providerRequestId: 'req_2' });
  });
});

describe('limits', () => {
  it('TRN-7: no connection in time', async () => {
    const url = await serveSilence();
    const { events } = await collect(sendTo(url, { connectTimeoutMs: 40, retries: 0 }));
    expect(errorOf(events)).toMatchObject({ code: 'timeout', message: expect.stringContaining('No connection') });
  });

  it('TRN-7: a connection that stands is not counted against the connect limit', async () => {
    const url = await serve((response) => {
      void sleep(120).then(() => stream(response).end('data: a\n\ndata: end\n\n'));
    });
    expect(texts((await collect(sendTo(url, { connectTimeoutMs: 60 }))).events)).toBe('a');
  });

  it.each([
    ['before the headers', (response: ServerResponse) => void response],
    ['behind the headers', (response: ServerResponse) => stream(response).flushHeaders()],
  ])('TRN-7: no first byte in time, %s: told once, not asked again', async (_, handler) => {
    let attempts = 0;
    const url = await serve((response) => {
      attempts += 1;
      handler(response);
    });
    const { events } = await collect(sendTo(url, { firstByteTimeoutMs: 40 }));
    expect(attempts).toBe(1);
    expect(errorOf(events)).toMatchObject({ code: 'timeout', message: expect.stringContaining('sent nothing') });
  });

  it('TRN-7: silence ends the reply and keeps what came', async () => {
    const url = await serve((response) => stream(response).write('data: a\n\n'));
    const { events } = await collect(sendTo(url, { silenceTimeoutMs: 40 }));
    expect(texts(events)).toBe('a');
    expect(errorOf(events)).toMatchObject({ code: 'timeout', message: expect.stringContaining('silent') });
  });

  it('TRN-7: a slow reader is not a silent provider', async () => {
    const url = await serve((response) => {
      stream(response).write('data: a\n\n');
      void sleep(10).then(() => response.end('data: b\n\ndata: end\n\n'));
    });
    const events: StreamEvent[] = [];
    for await (const batch of sendTo(url, { silenceTimeoutMs: 60 }).batches) {
      events.push(...batch.events);
      await sleep(150);
    }
    expect(texts(events)).toBe('ab');
  });
});

describe('abort', () => {
  it('TRN-7: in the middle: the partial reply stays, the stop says interrupted, the connection closes', async () => {
    const user = new AbortController();
    const closed = new EventEmitter();
    const whenClosed = once(closed, 'close');
    const url = await serve((response) => {
      response.on('close', () => closed.emit('close'));
      stream(response).write('data: a\n\n');
    });
    const reply = sendTo(url, { signal: user.signal });
    const events: StreamEvent[] = [];
    for await (const batch of reply.batches) {
      events.push(...batch.events);
      user.abort();
    }
    expect(events).toEqual([
      { type: 'text', index: 0, text: 'a' },
      { type: 'stop', reason: 'interrupted' },
    ]);
    expect(reply.raw()).toMatchObject({ complete: false, payload: [{ data: 'a' }] });
    await whenClosed;
  });

  it.each(['before sending', 'while waiting for the provider', 'while waiting to try again'])(
    'TRN-7: %s',
    async (when) => {
      const user = new AbortController();
      if (when === 'before sending') user.abort();
      const url = await serve((response) => {
        if (when === 'while waiting to try again') response.writeHead(429, { 'retry-after': '30' }).end();
        setTimeout(() => user.abort(), 30);
      });
      const reply = sendTo(url, { signal: user.signal });
      expect(await reply.head).toEqual({ providerRequestId: null });
      expect((await collect(reply)).events).toEqual([{ type: 'stop', reason: 'interrupted' }]);
    },
  );

  it('TRN-7: a reader that walks away closes the connection', async () => {
    const closed = new EventEmitter();
    const whenClosed = once(closed, 'close');
    const url = await serve((response) => {
      response.on('close', () => closed.emit('close'));
      stream(response).write('data: a\n\n');
    });
    for await (const batch of sendTo(url).batches) {
      expect(batch.events).toHaveLength(1);
      break;
    }
    await whenClosed;
  });
});

describe('secrets', () => {
  it('TRN-9: the key leaves in its header and comes back in no error', async () => {
    let seen: unknown;
    const url = await serve((response, request) => {
      seen = request.headers['x-api-key'];
      response.writeHead(400).end(`bad key ${KEY}`);
    });
    const { events } = await collect(sendTo(url));
    expect(seen).toBe(KEY);
    expect(errorOf(events)?.message).toBe('400: bad key [redacted]');
  });

  it('TRN-9: a redirect is not followed: it would carry the key along', async () => {
    let elsewhere = 0;
    const other = await serve((response) => {
      elsewhere += 1;
      response.end();
    });
    const url = await serve((response) => response.writeHead(307, { location: `${other}/x` }).end());
    const { events } = await collect(sendTo(url));
    expect(elsewhere).toBe(0);
    expect(errorOf(events)).toMatchObject({ code: 'invalid_request', status: 307 });
  });

  it.each([
    ['without a key', { key: null }, 'authentication', 'set TEST_KEY'],
    ['with a key that no header can hold', { key: 'a\nb-secret' }, 'authentication', 'Check TEST_KEY'],
    ['to another address', { request: { url: 'http://127.0.0.2:9/reply' } }, 'invalid_request', 'another address'],
    [
      'that breaks a rule',
      {
        request: {
          violations: [
            {
              rule: 'R-1',
              kind: 'rejection',
              repaired: false,
              path: 'messages.0',
              message: 'must be whole',
              status: 400,
            },
          ],
        },
      },
      'invalid_request',
      'breaks R-1 at messages.0',
    ],
  ] as const)('TRN-10: a request %s does not leave', async (_, options, code, message) => {
    let requests = 0;
    const url = await serve(() => {
      requests += 1;
    });
    const { events } = await collect(sendTo(url, options));
    expect(requests).toBe(0);
    expect(errorOf(events)).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(JSON.stringify(events)).not.toContain('b-secret');
  });
});
