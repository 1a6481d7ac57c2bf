import { BoughError } from '@bough/core';
import { createDeployments, createProvider } from '@bough/providers';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayEnvironment, GatewayEvent } from '../gateway.ts';
import { createGateway } from '../gateway.ts';
import type { Arrival, ConversationHook, Outcome, Tap } from './hook.ts';
import type { ClientRequest, GatewayAnswer } from './request.ts';

interface Vendor {
  readonly url: string;
  readonly bodies: string[];
  readonly headers: IncomingMessage['headers'][];
}

/** A vendor whose answers a test writes itself. */
async function vendor(answer: (response: ServerResponse, number: number) => void | Promise<void>): Promise<Vendor> {
  const bodies: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      bodies.push(Buffer.concat(pieces).toString('latin1'));
      headers.push(incoming.headers);
      void answer(response, bodies.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, headers };
}

function gatewayTo(url: string, hook: ConversationHook, more: Partial<GatewayEnvironment> = {}) {
  const events: GatewayEvent[] = [];
  const deployments = createDeployments({ env: { ANTHROPIC_BASE_URL: url }, simulatorUrl: url });
  const provider = createProvider(deployments.byId('anthropic'), { key: 'sk-boughs-0123456789' });
  const providers = {
    list: () => [provider],
    get: (id: string) => {
      if (id === 'anthropic') return provider;
      throw new BoughError('unknown_provider', id);
    },
  };
  const gateway = createGateway({ providers, isToken: null, hook, observe: (event) => events.push(event), ...more });
  return { gateway, events };
}

async function* inPieces(...pieces: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array, void, void> {
  for (const piece of pieces) yield Buffer.from(piece);
}

function request(
  body: readonly (string | Uint8Array)[] = ['{"model":"m"}'],
  more: Partial<ClientRequest> = {},
): ClientRequest {
  return {
    method: 'POST',
    url: '/gateway/anthropic/v1/messages?beta=true&key=sk-query',
    headers: { host: 'localhost', 'x-api-key': 'sk-client', 'user-agent': 'tests/1' },
    body: inPieces(...body),
    signal: new AbortController().signal,
    ...more,
  };
}

async function textOf({ body }: GatewayAnswer): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  return text;
}

const SSE = { 'content-type': 'text/event-stream' };

/** A tap that remembers what it was told. */
function recorder(more: Partial<Tap> = {}): { readonly tap: Tap; readonly pieces: string[]; readonly ends: Outcome[] } {
  const pieces: string[] = [];
  const ends: Outcome[] = [];
  const tap: Tap = {
    piece: (bytes) => void pieces.push(Buffer.from(bytes).toString()),
    end: (outcome) => void ends.push(outcome),
    ...more,
  };
  return { tap, pieces, ends };
}

describe('the hook', () => {
  it('GW-19: sees the request whole, unpacked and without secrets; the bytes leave as they came', async () => {
    const { url, bodies, headers } = await vendor((response) => void response.writeHead(200, SSE).end('data: 1\n\n'));
    const arrivals: Arrival[] = [];
    const { tap, pieces, ends } = recorder({ headers: { 'x-bough-repairs': '0' } });
    const { gateway } = gatewayTo(url, async (arrival) => {
      arrivals.push(arrival);
      return { type: 'forward', tap };
    });
    const packed = gzipSync('{"model" : "m"}');
    const asked = request([packed.subarray(0, 5), packed.subarray(5)], {
      url: '/gateway/in/p1/anthropic/v1/messages?beta=true&key=sk-query',
      headers: { ...request().headers, 'content-encoding': 'gzip', cookie: 'c', authorization: 'Bearer b' },
    });
    const answer = await gateway.handle(asked);
    expect(await textOf(answer)).toBe('data: 1\n\n');
    expect(answer.headers).toMatchObject({ 'x-bough-repairs': '0' });
    const [arrival] = arrivals;
    expect(arrival).toMatchObject({
      protocol: 'anthropic-messages',
      operation: 'conversation',
      project: 'p1',
      path: '/v1/messages?beta=true',
    });
    expect(Buffer.from(arrival?.body ?? []).toString()).toBe('{"model" : "m"}');
    expect(JSON.stringify([arrival?.headers, arrival?.path])).not.toMatch(/sk-|Bearer|cookie/);
    expect(Buffer.from(bodies[0] ?? '', 'latin1').equals(packed)).toBe(true);
    expect(headers[0]).toMatchObject({ 'content-encoding': 'gzip', 'x-api-key': 'sk-client' });
    expect([pieces, ends]).toEqual([['data: 1\n\n'], [{ type: 'complete' }]]);
  });

  it('GW-19: may change the body; then it leaves unpacked', async () => {
    const { url, bodies, headers } = await vendor((response) => void response.writeHead(200).end('{}'));
    const { tap } = recorder();
    const { gateway } = gatewayTo(url, async () => ({ type: 'forward', body: Buffer.from('{"mended":1}'), tap }));
    const asked = request([gzipSync('{}')], { headers: { ...request().headers, 'content-encoding': 'gzip' } });
    await textOf(await gateway.handle(asked));
    expect(bodies).toEqual(['{"mended":1}']);
    expect(headers[0]?.['content-encoding']).toBeUndefined();
    expect(headers[0]?.['content-length']).toBe('12');
  });

  it('GW-19: what the client gets was kept before; what comes meanwhile is kept in one piece', async () => {
    const { url } = await vendor(async (response) => {
      response.writeHead(200, SSE);
      for (let number = 0; number < 20; number += 1) {
        response.write(`data: ${number}\n\n`);
        await sleep(2);
      }
      response.end();
    });
    const order: string[] = [];
    let kept = '';
    const { gateway } = gatewayTo(url, async () => ({
      type: 'forward',
      tap: {
        piece: async (bytes) => {
          await sleep(15);
          kept += Buffer.from(bytes).toString();
          order.push('kept');
        },
        end: async () => {
          await sleep(10);
          order.push('ended');
        },
      },
    }));
    const { body } = await gateway.handle(request());
    let got = '';
    if (!(body instanceof Uint8Array))
      for await (const piece of body) {
        got += Buffer.from(piece).toString();
        order.push('shown');
        expect(kept.startsWith(got)).toBe(true);
      }
    expect(got).toBe(Array.from({ length: 20 }, (_, number) => `data: ${number}\n\n`).join(''));
    expect(order.filter((step) => step === 'kept').length).toBeLessThan(15);
    expect(order.at(-1)).toBe('ended');
  });

  it('GW-19: may answer a refusal with another request, once; the client sees only the last answer', async () => {
    const { url, bodies } = await vendor((response, number) => {
      if (number === 1) response.writeHead(400, { 'content-type': 'application/json' }).end('{"no":"thinking"}');
      else response.writeHead(200, SSE).end('data: good\n\n');
    });
    const second = recorder();
    const refusals: string[] = [];
    const first = recorder({
      head: ({ status, refusal }) => {
        refusals.push(`${status} ${Buffer.from(refusal ?? []).toString()}`);
        return { type: 'forward', body: Buffer.from('{"plain":1}'), tap: second.tap };
      },
    });
    const { gateway } = gatewayTo(url, async () => ({ type: 'forward', tap: first.tap }));
    const answer = await gateway.handle(request());
    expect([answer.status, await textOf(answer)]).toEqual([200, 'data: good\n\n']);
    expect(bodies).toEqual(['{"model":"m"}', '{"plain":1}']);
    expect(refusals).toEqual(['400 {"no":"thinking"}']);
    expect([first.ends, second.ends, second.pieces]).toEqual([
      [{ type: 'replaced' }],
      [{ type: 'complete' }],
      ['data: good\n\n'],
    ]);
  });

  it('GW-19: a refusal that is looked at and not answered passes to the byte', async () => {
    const { url } = await vendor((response) => void response.writeHead(413).end('{"too":"large"}'));
    const { tap, pieces, ends } = recorder({ head: () => null });
    const { gateway } = gatewayTo(url, async () => ({ type: 'forward', tap }));
    const answer = await gateway.handle(request());
    expect([answer.status, await textOf(answer)]).toEqual([413, '{"too":"large"}']);
    expect([pieces, ends]).toEqual([['{"too":"large"}'], [{ type: 'complete' }]]);
  });

  it('GW-19: may answer by itself; nothing is sent', async () => {
    const { url, bodies } = await vendor((response) => void response.end());
    let isReturned = false;
    async function* own(): AsyncGenerator<Uint8Array, void, void> {
      try {
        yield Buffer.from('data: own\n\n');
        yield Buffer.from('data: more\n\n');
      } finally {
        isReturned = true;
      }
    }
    const { gateway } = gatewayTo(url, async () => ({ type: 'answer', status: 200, headers: SSE, body: own() }));
    expect(await textOf(await gateway.handle(request()))).toBe('data: own\n\ndata: more\n\n');
    const { body } = await gateway.handle(request());
    if (!(body instanceof Uint8Array)) for await (const _ of body) break;
    expect([bodies, isReturned, gateway.running()]).toEqual([[], true, 0]);
  });

  it.each(['left', 'stopped'] as const)('GW-19: is told how it ended: %s', async (how) => {
    const { url } = await vendor((response) => void response.writeHead(200, SSE).write('data: 1\n\n'));
    const interrupt = new AbortController();
    const leave = new AbortController();
    const { tap, ends } = recorder({ signal: interrupt.signal });
    const { gateway } = gatewayTo(url, async () => ({ type: 'forward', tap }));
    const { body } = await gateway.handle(request(undefined, { signal: leave.signal }));
    if (body instanceof Uint8Array) throw new Error('The answer is no stream.');
    const iterator = body[Symbol.asyncIterator]();
    await iterator.next();
    (how === 'left' ? leave : interrupt).abort();
    const next = await iterator.next();
    // Whoever is still there is told.
    expect(next.done).toBe(how === 'left');
    await iterator.return?.();
    expect([ends, gateway.running()]).toEqual([[{ type: how }], 0]);
  });

  it('GW-19: a client that never reads its answer ends the call too', async () => {
    const { url } = await vendor((response) => void response.writeHead(200, SSE).write('data: 1\n\n'));
    const { tap, ends } = recorder();
    const { gateway } = gatewayTo(url, async () => ({ type: 'forward', tap }));
    const { body } = await gateway.handle(request());
    if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.();
    expect([ends, gateway.running()]).toEqual([[{ type: 'left' }], 0]);
  });

  it('GW-19: too large a request passes unrecorded, and is counted', async () => {
    const { url, bodies } = await vendor((response) => void response.writeHead(200).end('{}'));
    let asked = 0;
    const hook: ConversationHook = async () => {
      asked += 1;
      return null;
    };
    const { gateway, events } = gatewayTo(url, hook, { maxBody: 10 });
    await textOf(await gateway.handle(request(['12345', '67890', 'abcde', 'f'])));
    expect([asked, bodies]).toEqual([0, ['1234567890abcdef']]);
    expect(events.filter(({ type }) => type === 'unrecorded')).toMatchObject([{ why: 'too_large' }]);
  });

  it.each<[string, Partial<ClientRequest>]>([
    ['packed in a way that is not known', { headers: { ...request().headers, 'content-encoding': 'tomorrow' } }],
    ['written in a way that is not known', {}],
    ['of a protocol that is not known of its vendor', { url: '/gateway/anthropic/v1/responses' }],
  ])('GW-302: what is %s passes to the byte, and is counted unless its vendor refuses it', async (_, how) => {
    const { url, bodies } = await vendor((response, number) => {
      response.writeHead(number === 1 ? 200 : 400).end('{}');
    });
    const { gateway, events } = gatewayTo(url, async () => null);
    for (let time = 0; time < 2; time += 1) await textOf(await gateway.handle(request(['{"new":"form"}'], how)));
    expect(bodies).toEqual(['{"new":"form"}', '{"new":"form"}']);
    expect(events.filter(({ type }) => type === 'unrecorded')).toMatchObject([{ why: 'unreadable' }]);
  });

  it('GW-302: what is asked beside conversations is none', async () => {
    const { url } = await vendor((response) => void response.writeHead(200).end('{}'));
    const { gateway, events } = gatewayTo(url, async () => null);
    for (const path of ['messages/count_tokens', 'files', 'models'])
      await textOf(await gateway.handle(request(undefined, { url: `/gateway/anthropic/v1/${path}` })));
    expect(events.filter(({ type }) => type === 'unrecorded')).toEqual([]);
  });
});

describe('a store that is away', () => {
  const away = (): Promise<never> => Promise.reject(new Error('The store is away.'));

  it.each<[string, ConversationHook]>([
    ['before the call', away],
    [
      'at the head',
      async () => ({ type: 'forward', tap: { head: away, piece: () => undefined, end: () => undefined } }),
    ],
    ['in mid-stream', async () => ({ type: 'forward', tap: { piece: away, end: () => undefined } })],
    ['at the end', async () => ({ type: 'forward', tap: { piece: () => undefined, end: away } })],
  ])('GW-18: %s does not stop the client; it is counted', async (_, hook) => {
    const { url } = await vendor((response) => void response.writeHead(200, SSE).end('data: 1\n\n'));
    const { gateway, events } = gatewayTo(url, hook);
    const answer = await gateway.handle(request());
    expect([answer.status, await textOf(answer)]).toEqual([200, 'data: 1\n\n']);
    expect(events.filter(({ type }) => type === 'unrecorded')).toMatchObject([{ why: 'store' }]);
    expect(gateway.running()).toBe(0);
  });

  it('GW-18: with `refuse` nothing passes unrecorded: 503 before the call, an error event in mid-stream', async () => {
    const { url, bodies } = await vendor((response) => void response.writeHead(200, SSE).end('data: 1\n\n'));
    const before = gatewayTo(url, away, { whenStoreFails: 'refuse' });
    const answer = await before.gateway.handle(request());
    expect([answer.status, answer.headers['x-should-retry'], bodies]).toEqual([503, 'true', []]);
    expect(JSON.parse(await textOf(answer))).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    const ends: Outcome[] = [];
    const hook: ConversationHook = async () => ({
      type: 'forward',
      tap: { piece: away, end: (outcome) => void ends.push(outcome) },
    });
    const within = gatewayTo(url, hook, { whenStoreFails: 'refuse' });
    expect(await textOf(await within.gateway.handle(request()))).toMatch(/^event: error\ndata: /);
    expect([ends, within.gateway.running()]).toEqual([[{ type: 'lost' }], 0]);
  });
});
