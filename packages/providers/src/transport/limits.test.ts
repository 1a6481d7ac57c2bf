import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamEvent } from '@bough/core';
import { afterEach, describe, expect, it } from 'vitest';
import { closeServers, collect, errorOf, sendTo, serve, serveSilence, stream, texts } from './testing.ts';

afterEach(closeServers);

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
    const { events } = await collect(sendTo(url, { firstByteTimeoutMs: 200 }));
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
    for await (const batch of sendTo(url, { silenceTimeoutMs: 1_000 }).batches) {
      events.push(...batch.events);
      await sleep(1_200);
    }
    expect(texts(events)).toBe('ab');
  });
});

describe('backpressure', () => {
  it('TRN-11: a reader that does not read stops the provider instead of filling the memory', async () => {
    const total = 64 * 1024 * 1024;
    const event = `data: ${'x'.repeat(64 * 1024)}\n\n`;
    let written = 0;
    const url = await serve((response) => {
      stream(response);
      const write = (): void => {
        while (written < total) {
          written += event.length;
          if (!response.write(event)) {
            response.once('drain', write);
            return;
          }
        }
        response.end('data: end\n\n');
      };
      write();
    });
    const reply = sendTo(url);
    const batches = reply.batches[Symbol.asyncIterator]();
    await batches.next();
    await sleep(300);
    expect(written).toBeLessThan(total / 2);
    for (let next = await batches.next(); next.done !== true;) next = await batches.next();
    expect(reply.raw().complete).toBe(true);
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
      expect(await reply.head).toEqual({ providerRequestId: null, retryAfterMs: null });
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
