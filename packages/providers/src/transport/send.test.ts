import { afterEach, describe, expect, it } from 'vitest';
import { PlacedText } from '../files/place.ts';
import { closeServers, collect, errorOf, KEY, sendTo, serve, stream, texts } from './testing.ts';

afterEach(closeServers);

describe('a reply', () => {
  it('TRN-1: gives raw and meaning together, and raw in the end', async () => {
    const url = await serve((response) => stream(response).end('data: a\n\nevent: x\ndata: b\n\ndata: end\n\n'));
    const reply = sendTo(url);
    expect(await reply.head).toEqual({ providerRequestId: 'req_1', retryAfterMs: null });
    const { events } = await collect(reply);
    expect(events).toEqual([
      { type: 'text', index: 0, text: 'ab' },
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

  it('TRN-7: an abort ends a reply also where the connection does not notice it', async () => {
    const user = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: a\n\n')),
    });
    const fetch = () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    const reply = sendTo('http://127.0.0.1:9', { fetch, signal: user.signal });
    setTimeout(() => user.abort(), 20);
    const { events } = await collect(reply);
    expect(events).toEqual([
      { type: 'text', index: 0, text: 'a' },
      { type: 'stop', reason: 'interrupted' },
    ]);
  });

  it.each(['application/json', 'text/plain', ''])('TRN-4: a body of type "%s" is folded whole', async (type) => {
    const url = await serve((response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type });
      response.write('{"an');
      response.end('swer":"é"}');
    });
    const reply = sendTo(url);
    const batches = [];
    for await (const batch of reply.batches) batches.push(batch);
    expect(texts(batches.flatMap(({ events }) => events))).toBe('{"answer":"é"}');
    // Anyone who keeps the texts has all of it.
    expect(batches.map(({ text }) => text).join('')).toBe('{"answer":"é"}');
    expect(reply.raw()).toMatchObject({ complete: true, payload: { response: '{"answer":"é"}' } });
  });

  it('TRN-4: white space before a body, however it is cut, changes nothing', async () => {
    for (const padding of [['\n'], ['  \n', '\n\n'], [' ', '\n ', '\t\r\n']]) {
      const url = await serve((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const pieces = [...padding, '{"an', 'swer":"é"}'];
        // Each in its own packet.
        const write = (): void => {
          const piece = pieces.shift();
          if (piece === undefined) response.end();
          else response.write(piece, () => setTimeout(write, 5));
        };
        write();
      });
      const reply = sendTo(url);
      const batches = [];
      for await (const batch of reply.batches) batches.push(batch);
      expect(texts(batches.flatMap(({ events }) => events)).trim()).toBe('{"answer":"é"}');
      expect(reply.raw()).toMatchObject({ complete: true, payload: { response: `${padding.join('')}{"answer":"é"}` } });
    }
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
    ['without a key', { key: null }, 'authentication', 'Set TEST_KEY'],
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

describe('a body in pieces', () => {
  const pieces = ['{"hello":"', 'wörld '.repeat(500_000), '"}'].map((piece) => new TextEncoder().encode(piece));
  const body = pieces.map((piece) => new TextDecoder().decode(piece)).join('');

  it('TRN-12: leaves as one body with its length, in every attempt', async () => {
    const received: unknown[] = [];
    const url = await serve((response, request, attempt) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const whole = Buffer.concat(chunks);
        const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
        received.push([whole.toString() === body, Number(length) === whole.length, encoding]);
        if (attempt === 1) response.writeHead(503).end('not yet');
        else stream(response).end('data: a\n\ndata: end\n\n');
      });
    });
    const { events } = await collect(sendTo(url, { request: { body, pieces } }));
    expect(texts(events)).toBe('a');
    expect(received).toEqual([
      [true, true, undefined],
      [true, true, undefined],
    ]);
  });

  it('TRN-12: can be refused before it arrived, and aborted while it leaves', async () => {
    const url = await serve((response, request, attempt) => {
      request.pause();
      if (attempt === 1) response.writeHead(413, { connection: 'close' }).end('too long');
    });
    const refused = await collect(sendTo(url, { request: { body, pieces }, retries: 0 }));
    expect(errorOf(refused.events)).toMatchObject({ status: 413 });
    const user = new AbortController();
    const reply = sendTo(url, { request: { body, pieces }, signal: user.signal });
    setTimeout(() => user.abort(), 50);
    expect((await collect(reply)).events).toEqual([{ type: 'stop', reason: 'interrupted' }]);
  });
});

describe('secrets', () => {
  const place = { as: 'secret', name: 'wiki', url: 'https://mcp.example.com' } as const;
  const body = JSON.stringify({ token: new PlacedText([place]) });
  const secretOf = () => ({ secret: 'token-of-the-wiki' });

  it('FIL-14: a place for one that no tool of the request names is not filled: nothing is sent', async () => {
    let asked = 0;
    const url = await serve((response) => {
      asked += 1;
      stream(response).end('data: end\n\n');
    });
    const forged = await collect(sendTo(url, { request: { body }, secretOf }));
    expect(errorOf(forged.events)?.message).toContain('No tool of the request');
    expect(asked).toBe(0);
    const named = await collect(sendTo(url, { request: { body, secrets: ['wiki'] }, secretOf }));
    expect(named.events.at(-1)).toEqual({ type: 'stop', reason: 'end_turn' });
    expect(asked).toBe(1);
  });

  it('FIL-14: what a server says about one is told without it', async () => {
    const url = await serve((response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'token-of-the-wiki is wrong' } }));
    });
    const { events } = await collect(sendTo(url, { request: { body, secrets: ['wiki'] }, secretOf }));
    expect(errorOf(events)?.message).not.toContain('token-of-the-wiki');
  });
});
