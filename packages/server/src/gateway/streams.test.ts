import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { CALLS, startStage } from './testing.ts';

const SSE = { 'content-type': 'text/event-stream' };
const post = (text: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: text,
});

/** Keeps the response of the vendor in the test's hands. */
async function held(env: Readonly<Record<string, string>> = {}) {
  const stage = await startStage(env);
  const responses: ServerResponse[] = [];
  stage.tee.answerWith((_, response) => {
    responses.push(response);
    return true;
  });
  return { ...stage, responses };
}

describe.each(CALLS)('$protocol', ({ provider, path, body, protocol }) => {
  it('GW-14: a stream that breaks off between events ends with an error event of its protocol', async () => {
    const { at, responses } = await held();
    const asking = fetch(`${at(provider)}${path(true)}`, post(body(true)));
    await vi.waitFor(() => expect(responses).toHaveLength(1));
    responses[0]?.writeHead(200, SSE).write('data: {"a":1}\n\n');
    const response = await asking;
    setTimeout(() => responses[0]?.destroy(), 20);
    const text = await response.text();
    expect(text.startsWith('data: {"a":1}\n\n')).toBe(true);
    const event = text.slice('data: {"a":1}\n\n'.length);
    const data = JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? 'null') as Readonly<Record<string, unknown>>;
    const expected: Readonly<Record<string, unknown>> = {
      'anthropic-messages': { type: 'error', error: { type: 'api_error' } },
      'openai-responses': { type: 'error', code: 'server_error', message: expect.any(String) },
      'openai-chat': { error: { type: 'server_error' } },
      gemini: { error: { code: 502, status: 'UNAVAILABLE' } },
    };
    expect(data).toMatchObject(expected[protocol] as object);
    expect(event.startsWith('event: error\n')).toBe(
      protocol === 'anthropic-messages' || protocol === 'openai-responses',
    );
  });

  it('GW-14: one that breaks off within an event is cut, as it was towards Bough', async () => {
    const { at, responses } = await held();
    const asking = fetch(`${at(provider)}${path(true)}`, post(body(true)));
    await vi.waitFor(() => expect(responses).toHaveLength(1));
    responses[0]?.writeHead(200, SSE).write('data: {"a":1}\n\ndata: {"b":');
    const response = await asking;
    setTimeout(() => responses[0]?.destroy(), 20);
    await expect(response.text()).rejects.toThrow(/terminated/);
  });
});

describe('streams', () => {
  it('GW-15: what the vendor sends is shown at once, the head before the first event', async () => {
    const { at, responses } = await held();
    const asking = fetch(`${at('anthropic')}/v1/messages`, post(CALLS[0].body(true)));
    await vi.waitFor(() => expect(responses).toHaveLength(1));
    responses[0]?.writeHead(200, SSE).flushHeaders();
    const reader = (await asking).body?.getReader();
    for (const text of [': ping\n\n', 'event: unknown_thing\ndata: {}\n\n', 'data: torn ', 'apart\n\n']) {
      responses[0]?.write(text);
      const { value } = (await reader?.read()) ?? {};
      expect(Buffer.from(value ?? []).toString()).toBe(text);
    }
    responses[0]?.end();
    expect((await reader?.read())?.done).toBe(true);
  });

  it('GW-16: a client that leaves ends the call to the vendor', async () => {
    const { at, responses, tee } = await held();
    const leave = new AbortController();
    const asking = fetch(`${at('anthropic')}/v1/messages`, { ...post(CALLS[0].body(true)), signal: leave.signal });
    await vi.waitFor(() => expect(responses).toHaveLength(1));
    responses[0]?.writeHead(200, SSE).write('data: 1\n\n');
    await (await asking).body?.getReader().read();
    leave.abort();
    await vi.waitFor(() => expect(tee.seen()[0]?.wasLeft()).toBe(true));
  });

  it('GW-16: so does one that leaves before the vendor has answered', async () => {
    const { at, responses, tee, server } = await held();
    const leave = new AbortController();
    const asking = fetch(`${at('anthropic')}/v1/messages`, { ...post(CALLS[0].body(true)), signal: leave.signal });
    await vi.waitFor(() => expect(responses).toHaveLength(1));
    leave.abort();
    await expect(asking).rejects.toThrow(/abort/);
    await vi.waitFor(() => expect(tee.seen()[0]?.wasLeft()).toBe(true));
    await vi.waitFor(async () => expect((await server.client.gateway()).running).toBe(0));
  });

  it('GW-17: a client that reads slowly holds the vendor back; memory stays flat', async () => {
    const { server, tee, at } = await startStage();
    const piece = `data: ${'x'.repeat(64 * 1024)}\n\n`;
    const pieces = 3_000;
    let written = 0;
    tee.answerWith((_, response) => {
      response.writeHead(200, SSE);
      const write = async (): Promise<void> => {
        while (written < pieces && !response.destroyed) {
          written += 1;
          if (!response.write(piece)) await once(response, 'drain');
        }
        response.end();
      };
      void write();
      return true;
    });
    const url = new URL(`${at('anthropic')}/v1/messages`);
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    socket.pause();
    const text = CALLS[0].body(true);
    socket.write(
      `POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    await sleep(700);
    // What fits into the buffers of two connections, and not the 200 MB.
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(pieces / 3);
    const before = written;
    await sleep(300);
    expect(written - before).toBeLessThan(10);
    expect((await server.client.gateway()).running).toBe(1);
    socket.destroy();
    await vi.waitFor(async () => expect((await server.client.gateway()).running).toBe(0));
  });

  it('GW-3: a vendor that hangs up before it answers is an error in the form of the protocol', async () => {
    const { at, responses } = await held();
    const asking = fetch(`${at('anthropic')}/v1/messages`, post(CALLS[0].body(false)));
    await vi.waitFor(() => expect(responses).toHaveLength(1));
    responses[0]?.destroy();
    const response = await asking;
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  });

  it('SV-142: a server that stops ends streams with an event, and takes no more', async () => {
    const { at, responses, server } = await held({ BOUGH_GRACE_MS: '100' });
    const asking = fetch(`${at('anthropic')}/v1/messages`, post(CALLS[0].body(true)));
    await vi.waitFor(() => expect(responses).toHaveLength(1));
    responses[0]?.writeHead(200, SSE).write('data: 1\n\n');
    const response = await asking;
    const stopping = server.stop();
    const text = await response.text();
    await stopping;
    expect(text).toMatch(/^data: 1\n\nevent: error\ndata: \{"type":"error"/);
  });

  it('SV-142: a stream that ends within the grace period is whole', async () => {
    const { at, responses, server } = await held({ BOUGH_GRACE_MS: '5000' });
    const asking = fetch(`${at('anthropic')}/v1/messages`, post(CALLS[0].body(true)));
    await vi.waitFor(() => expect(responses).toHaveLength(1));
    responses[0]?.writeHead(200, SSE).write('data: 1\n\n');
    const response = await asking;
    const stopping = server.stop();
    await sleep(50);
    responses[0]?.end('data: 2\n\n');
    expect(await response.text()).toBe('data: 1\n\ndata: 2\n\n');
    await stopping;
  });

  it('SV-143: requests are logged and counted without their query, and the API tells which clients came', async () => {
    const { at, server } = await startStage();
    const sent = request(`${at('anthropic')}/v1/messages?beta=true`, {
      method: 'POST',
      headers: { 'user-agent': 'claude-cli/2.1.325 (external, sdk-cli)', 'content-type': 'application/json' },
    });
    sent.end(CALLS[0].body(false));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    await fetch(`${at('openai')}/v1/models`, { headers: { 'user-agent': 'curl/8.1 <b>' } });
    await fetch(`${at('openai')}/v1/models`, { headers: { 'user-agent': 'OpenAI/JS 6.1.0' } });
    const state = await server.client.gateway();
    expect(state).toMatchObject({ mode: 'repair', unrecorded: 0 });
    expect(
      state.clients.map(({ client, version, requests, providers }) => ({ client, version, requests, providers })),
    ).toEqual(
      expect.arrayContaining([
        { client: 'claude-code', version: '2.1.325', requests: 1, providers: ['anthropic'] },
        { client: 'curl', version: '8.1', requests: 1, providers: ['openai'] },
        // The name that budgets and sessions have for it.
        { client: 'sdk', version: null, requests: 1, providers: ['openai'] },
      ]),
    );
    const lines = server.logged().map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(lines.filter(({ event }) => event === 'gateway')).toMatchObject([
      { method: 'POST', path: '/gateway/anthropic/v1/messages', status: 200 },
      { method: 'GET', path: '/gateway/openai/v1/models', status: 200 },
      { method: 'GET', path: '/gateway/openai/v1/models', status: 200 },
    ]);
    const metrics = await (await fetch(`${server.url}/api/metrics`)).text();
    expect(metrics).toContain('bough_gateway_requests_total{provider="anthropic",operation="conversation"} 1');
  });
});
