import { afterEach, describe, expect, it } from 'vitest';
import type { SimulatedProtocol } from './simulated-protocol.ts';
import type { Simulator, SimulatorOptions } from './server.ts';
import { startSimulator } from './server.ts';

/** A half that plans a reply and streams its text word by word. */
const words: SimulatedProtocol = {
  accepts: ({ path }) => path === '/words',
  modelOf: () => 'sim-plain',
  answer: ({ body }, world) => {
    const userText = typeof body === 'string' ? body : '';
    if (userText === 'crash') throw new Error('a bug in the half');
    const { parts } = world.plan({
      model: 'sim-plain',
      system: '',
      userText,
      toolResults: [],
      toolNames: [],
      toolsAllowed: false,
      thinking: false,
      turn: 0,
    });
    world.note({ kind: 'accepted', detail: 'fine' });
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    if (userText.includes('whole')) return { type: 'body', status: 200, body: JSON.stringify({ text }) };
    return { type: 'stream', frames: text.split(' ').map((word) => `data: ${JSON.stringify(word)}\n\n`) };
  },
  errorFrame: (kind) => `event: error\ndata: ${kind}\n\n`,
  errorAnswer: (status, message) => ({ type: 'body', status, body: JSON.stringify({ message }) }),
};

let simulator: Simulator | null = null;
afterEach(async () => {
  await simulator?.close();
  simulator = null;
});

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  simulator = await startSimulator({ seed: 'test', protocols: [words], ...options });
  return simulator;
}

const post = (url: string, message: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/words`, { method: 'POST', body: JSON.stringify(message), headers });

const eventsOf = (text: string): number => text.split('\n\n').length - 1;

describe('startSimulator', () => {
  it('SIM-1: listens on loopback, streams, and closes without leaving anything open', async () => {
    const { url, close } = await start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await post(url, 'hello');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('hello');
    await close();
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('SIM-4: shows what it accepted, and forgets on demand', async () => {
    const { url } = await start();
    await (await post(url, 'hello')).text();
    const log: unknown = await (await fetch(`${url}/__simulator/log`)).json();
    expect(log).toEqual({
      counts: { accepted: 1, rejected: 0, silent_drop: 0, fault: 0 },
      entries: [{ number: 1, kind: 'accepted', path: '/words', model: 'sim-plain', detail: 'fine' }],
    });
    await fetch(`${url}/__simulator/log`, { method: 'DELETE' });
    expect(simulator?.log()).toEqual([]);
  });

  it('SIM-5: what it does not serve, cannot read or fails at is told as such', async () => {
    const { url } = await start();
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${url}/words`, { method: 'POST', body: '{' })).status).toBe(400);
    expect((await fetch(`${url}/__simulator/elsewhere`)).status).toBe(404);
    const failed = await post(url, 'crash');
    expect(failed.status).toBe(500);
    expect(await failed.text()).toContain('The simulator failed');
    expect(simulator?.log().at(-1)).toMatchObject({ kind: 'fault', rule: 'simulator_failed' });
  });

  it('SIM-6: asking again gets another answer, and a refused attempt does not count', async () => {
    const { url } = await start();
    const [first, second] = [await (await post(url, 'hello')).text(), await (await post(url, 'hello')).text()];
    expect(second).not.toBe(first);
    await post(url, 'hi', { 'x-simulator-fault': '429' });
    expect(await (await post(url, 'hi')).text()).not.toContain('number');
  });

  it('SIM-7: shows its help to whoever opens it', async () => {
    const { url } = await start();
    expect(await (await fetch(url)).text()).toContain('/sim think N');
  });

  it('SIM-8: cuts by message, by header and by order', async () => {
    const { url, orderFault } = await start();
    await expect((await post(url, '/sim fault cut 2')).text()).rejects.toThrow('terminated');
    await expect((await post(url, 'hello', { 'x-simulator-fault': 'cut 2' })).text()).rejects.toThrow('terminated');
    orderFault('cut 2 x1');
    await expect((await post(url, 'hello')).text()).rejects.toThrow('terminated');
    expect(await (await post(url, 'hello')).text()).toContain('hello');
    const ordered = await fetch(`${url}/__simulator/faults`, { method: 'POST', body: '{"fault":"503 x1"}' });
    expect(ordered.status).toBe(200);
    expect((await post(url, 'hello')).status).toBe(503);
    expect((await fetch(`${url}/__simulator/faults`, { method: 'POST', body: '{"fault":"boom"}' })).status).toBe(400);
    expect((await post(url, 'hello', { 'x-simulator-fault': 'boom' })).status).toBe(400);
  });

  it('SIM-8: what was written before a cut arrives', async () => {
    const { url } = await start();
    for (const after of [0, 1, 5]) {
      const response = await post(url, `/sim fault cut ${after}`);
      let text = '';
      const read = async (): Promise<void> => {
        const decoder = new TextDecoder();
        for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
      };
      await expect(read()).rejects.toThrow('terminated');
      expect(eventsOf(text)).toBe(after);
    }
  });

  it('SIM-8: answers with the provider’s error, and with Retry-After', async () => {
    const { url } = await start();
    const limited = await post(url, '/sim fault 429 7');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await post(url, '/sim fault 529')).status).toBe(529);
    expect(await (await post(url, '/sim fault error 1 server')).text()).toContain('event: error\ndata: server');
    expect((await post(url, 'whole /sim fault error')).status).toBe(529);
    await expect(post(url, '/sim fault drop')).rejects.toThrow('fetch failed');
  });

  it('SIM-8: a whole body can be cut too', async () => {
    const { url } = await start();
    expect(await (await post(url, 'whole')).json()).toHaveProperty('text');
    await expect((await post(url, 'whole /sim fault cut 3')).text()).rejects.toThrow('terminated');
  });

  it('SIM-8: re-chunked bytes are the same bytes', async () => {
    const { url } = await start();
    const straight = await (await post(url, '/sim unicode')).text();
    expect(await (await post(url, '/sim unicode', { 'x-simulator-fault': 'rechunk 3' })).text()).toBe(straight);
  });

  it('SIM-8: a stall ends when the client goes, or when the simulator closes', async () => {
    const { url, close } = await start();
    const leaving = new AbortController();
    const first = await fetch(`${url}/words`, {
      method: 'POST',
      body: '"/sim fault stall 1"',
      signal: leaving.signal,
    });
    const reading = first.text();
    leaving.abort();
    await expect(reading).rejects.toThrow('aborted');
    const second = await post(url, '/sim fault stall 1');
    const [ending] = await Promise.allSettled([second.text(), close()]);
    expect(ending.status).toBe('rejected');
  });

  it('SIM-9: a pace spreads a reply over time', async () => {
    const { url } = await start({ paceMs: 5 });
    const response = await post(url, '/sim say a b c d');
    let chunks = 0;
    for await (const chunk of response.body ?? []) chunks += chunk.length > 0 ? 1 : 0;
    expect(chunks).toBeGreaterThan(1);
  });
});
