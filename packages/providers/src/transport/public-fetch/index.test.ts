import type { LookupAddress } from 'node:dns';
import { afterEach, describe, expect, it } from 'vitest';
import { closeServers, collect, errorOf, sendTo, serve, serveSilence, stream, texts } from '../testing.ts';
import { createPublicFetch, isPrivateHost, isPublicAddress } from './index.ts';

afterEach(closeServers);

/** A resolver that gives these answers, one after the other. */
function resolver(...answers: readonly (readonly string[])[]) {
  let asked = 0;
  const lookup = (_: string, __: unknown, callback: (error: null, found: LookupAddress[]) => void): void => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookup, asked: () => asked };
}

const named = (url: string): string => url.replace('127.0.0.1', 'rebound.example');

describe('which addresses are public', () => {
  it.each([
    ['1.1.1.1', true],
    ['172.15.255.255', true],
    ['172.32.0.1', true],
    ['100.63.255.255', true],
    ['2606:4700::1111', true],
    ['::ffff:8.8.8.8', true],
    ['0.0.0.0', false],
    ['10.255.0.1', false],
    ['100.64.0.1', false],
    ['127.255.255.254', false],
    ['169.254.169.254', false],
    ['172.31.255.255', false],
    ['192.168.0.1', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::127.0.0.1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:7f00:1', false],
    ['0:0:0:0:0:ffff:c0a8:1', false],
    ['fe80::1%eth0', false],
    ['fec0::1', false],
    ['fc00::1', false],
    ['fdff::1', false],
    ['ff02::1', false],
    ['64:ff9b::a00:1', false],
    ['2002:a00:1::', false],
    ['2001:0:7f00:1::', false],
    ['not an address', false],
  ])('TRN-13: %s: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });

  it.each([
    ['http://127.1', true],
    ['http://0x7f000001', true],
    ['http://2852039166', true],
    ['http://[::ffff:10.0.0.1]', true],
    ['http://Localhost.', true],
    ['http://a.localhost', true],
    ['http://localhost.example', false],
    ['http://8.8.8.8', false],
    ['http://example.com', false],
  ])('TRN-13: %s is private by its spelling: %s', (url, expected) => {
    expect(isPrivateHost(new URL(url))).toBe(expected);
  });
});

describe('a fetch for the open internet', () => {
  it('TRN-13: connects to no private address, given as such or by a name', async () => {
    let requests = 0;
    const url = await serve((response) => {
      requests += 1;
      response.end();
    });
    for (const [address, answers] of [
      [url, []],
      [named(url), ['127.0.0.1']],
      [named(url), ['::ffff:127.0.0.1', '10.0.0.1']],
    ] as const) {
      const fetch = createPublicFetch({ lookup: resolver(answers).lookup });
      const { events } = await collect(sendTo(address, { fetch }));
      expect(errorOf(events)).toMatchObject({
        code: 'network',
        retryable: false,
        message: expect.stringContaining('private network'),
      });
    }
    expect(requests).toBe(0);
  });

  it('TRN-13: a name is judged by the address that is connected to, in every attempt', async () => {
    let requests = 0;
    const url = await serve((response) => {
      requests += 1;
      response.writeHead(503).end();
    });
    // Allowed in the first attempt, pointed elsewhere before the second.
    const { lookup, asked } = resolver(['127.0.0.1'], ['10.0.0.1']);
    const fetch = createPublicFetch({ lookup, isAllowed: (address) => address === '127.0.0.1' });
    const { events } = await collect(sendTo(named(url), { fetch }));
    expect([requests, asked()]).toEqual([1, 2]);
    expect(errorOf(events)?.message).toContain('private network');
  });

  it('TRN-13: of several addresses only the public ones are tried', async () => {
    const url = await serve((response) => stream(response).end('data: a\n\ndata: end\n\n'));
    const { lookup } = resolver(['10.0.0.1', '127.0.0.1', '192.168.0.1']);
    const fetch = createPublicFetch({ lookup, isAllowed: (address) => address === '127.0.0.1' });
    expect(texts((await collect(sendTo(named(url), { fetch }))).events)).toBe('a');
  });

  it('TRN-13: sends and reads what any other fetch does', async () => {
    const pieces = ['{"hello":"', 'wörld '.repeat(100_000), '"}'].map((piece) => new TextEncoder().encode(piece));
    const body = pieces.map((piece) => new TextDecoder().decode(piece)).join('');
    const received: unknown[] = [];
    const url = await serve((response, request) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const whole = Buffer.concat(chunks);
        received.push([whole.toString() === body, Number(request.headers['content-length']) === whole.length]);
        stream(response).end('data: a\n\ndata: end\n\n');
      });
    });
    const fetch = createPublicFetch({ isAllowed: () => true });
    const reply = sendTo(url, { fetch, request: { body, pieces } });
    expect(await reply.head).toEqual({ providerRequestId: 'req_1', retryAfterMs: null });
    expect(texts((await collect(reply)).events)).toBe('a');
    expect(texts((await collect(sendTo(url, { fetch, request: { body } }))).events)).toBe('a');
    expect(received).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  it('TRN-13: a redirect is not followed, and an abort ends the connection', async () => {
    let closed = 0;
    const url = await serve((response, request, attempt) => {
      if (attempt === 1) return response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end();
      request.socket.on('close', () => (closed += 1));
      return stream(response).write('data: a\n\n');
    });
    const fetch = createPublicFetch({ isAllowed: () => true });
    expect(errorOf((await collect(sendTo(url, { fetch }))).events)).toMatchObject({ status: 307 });
    const user = new AbortController();
    const reply = sendTo(url, { fetch, signal: user.signal });
    await reply.head;
    setTimeout(() => user.abort(), 30);
    expect((await collect(reply)).events.at(-1)).toEqual({ type: 'stop', reason: 'interrupted' });
    await expect.poll(() => closed).toBe(1);
  });

  it('TRN-13: a connection that does not stand in time is given up', async () => {
    const fetch = createPublicFetch({ isAllowed: () => true, connectTimeoutMs: 50 });
    const { events } = await collect(sendTo(await serveSilence(), { fetch, retries: 0 }));
    expect(errorOf(events)).toMatchObject({ code: 'timeout' });
  });
});
