import type { StreamEvent } from '@bough/core';
import { foldToBlocks } from '@bough/core';
import type { Deployment, Provider, Reply, TransportOptions } from '@bough/providers';
import {
  buildContentBlocksForProvider,
  createProvider,
  eventsIn,
  prepareCall,
  simulatedDeployments,
} from '@bough/providers';
import { sketch } from '@bough/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

// The contract of a reply, for every protocol and every fault: nothing is thrown, there is one stop at the end and at
// most one error before it, and raw gives exactly the blocks that arrived live.

let simulator: Simulator;
let deployments: readonly Deployment[];
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'contract' });
  deployments = simulatedDeployments(simulator.url);
});
beforeEach(() => simulator.clearLog());
afterAll(() => simulator.close());

const PROTOCOLS = ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'] as const;
const TOOLS = [
  {
    name: 'calculator',
    description: 'Computes.',
    inputSchema: { type: 'object', properties: { expression: { type: 'string' } } },
  },
];

function providerOf(protocol: string, options: TransportOptions = {}): Provider {
  const deployment = deployments.find((candidate) => candidate.protocol === protocol);
  if (deployment === undefined) throw new Error(`No simulated deployment speaks ${protocol}.`);
  return createProvider(deployment, { key: null, backoffMs: 1, drainTimeoutMs: 50, ...options });
}

function ask(
  provider: Provider,
  text: string,
  options: { readonly stream?: boolean; readonly signal?: AbortSignal } = {},
): Reply {
  const [user] = sketch('u1 user: x');
  if (user === undefined) throw new Error('The sketch is empty.');
  const usesTools = text.includes('/sim tools');
  const { request } = prepareCall(
    [{ ...user, contentBlocks: [{ type: 'text', text }] }],
    {
      provider,
      model: 'sim-interleaved',
      systemPrompt: null,
      tools: usesTools ? TOOLS : [],
      thinking: 'medium',
      stream: options.stream ?? true,
    },
    { rawOf: () => undefined },
  );
  return provider.send(request, { signal: options.signal ?? new AbortController().signal });
}

async function read(reply: Reply): Promise<{ readonly events: readonly StreamEvent[]; readonly frames: number }> {
  const events: StreamEvent[] = [];
  const texts: string[] = [];
  for await (const batch of reply.batches) {
    events.push(...batch.events);
    texts.push(batch.text);
  }
  expect(events.filter(({ type }) => type === 'stop')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('stop');
  const errors = events.filter(({ type }) => type === 'error');
  expect(errors.length).toBeLessThanOrEqual(1);
  if (errors.length === 1) expect(events.at(-2)?.type).toBe('error');
  expect(foldToBlocks(events)).toEqual(buildContentBlocksForProvider(reply.raw()));
  return { events, frames: eventsIn(texts).whole.length };
}

const stopOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.type === 'stop' ? [event.reason] : []))[0];
const codeOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.type === 'error' ? [event.error.code] : []))[0];

describe.each(PROTOCOLS)('%s', (protocol) => {
  it('SIM-12: whole, streamed and not: the same kinds of blocks', async () => {
    const streamed = await read(ask(providerOf(protocol), '/sim tools calculator x2'));
    expect(stopOf(streamed.events)).toBe('tool_use');
    const whole = ask(providerOf(protocol), '/sim tools calculator x2', { stream: false });
    const { events } = await read(whole);
    expect(foldToBlocks(events).map(({ type }) => type)).toEqual(foldToBlocks(streamed.events).map(({ type }) => type));
    expect(whole.raw().complete).toBe(true);
  });

  it('SIM-12: cut after any event: the part that came is kept', async () => {
    const { frames } = await read(ask(providerOf(protocol), '/sim tools calculator'));
    expect(frames).toBeGreaterThan(3);
    for (let after = 0; after < frames; after += 1) {
      const reply = ask(providerOf(protocol), `/sim tools calculator /sim fault cut ${after}`);
      const { events } = await read(reply);
      // A provider that announced its end before the connection broke has sent everything.
      if (reply.raw().complete) expect(after).toBeGreaterThan(frames - 3);
      else expect([stopOf(events), codeOf(events)]).toEqual(['error', 'network']);
    }
  });

  it('SIM-12: torn at random borders: the same reply', async () => {
    const straight = foldToBlocks((await read(ask(providerOf(protocol), '/sim unicode'))).events);
    for (const seed of [1, 2, 3]) {
      const torn = foldToBlocks(
        (await read(ask(providerOf(protocol), `/sim unicode /sim fault rechunk ${seed}`))).events,
      );
      expect(torn.map(withoutSignature)).toEqual(straight.map(withoutSignature));
    }
  });

  it('SIM-12: white space in front changes nothing, streamed and not', async () => {
    for (const stream of [true, false]) {
      const straight = await read(ask(providerOf(protocol), '/sim say ok', { stream }));
      const padded = await read(ask(providerOf(protocol), '/sim say ok /sim fault pad 3', { stream }));
      expect(stopOf(padded.events)).toBe('end_turn');
      const texts = (events: readonly StreamEvent[]) =>
        foldToBlocks(events).flatMap((block) => (block.type === 'text' ? [block] : []));
      expect(texts(padded.events)).toEqual(texts(straight.events));
    }
  });

  it('SIM-12: an error event, malformed bytes, silence', async () => {
    const failed = await read(ask(providerOf(protocol), '/sim fault error 2'));
    expect([stopOf(failed.events), codeOf(failed.events)]).toEqual(['error', 'overloaded']);
    const garbled = await read(ask(providerOf(protocol), '/sim fault garbage 2'));
    expect(stopOf(garbled.events)).toBeDefined();
    const silent = await read(ask(providerOf(protocol, { silenceTimeoutMs: 50 }), '/sim fault stall 2'));
    expect([stopOf(silent.events), codeOf(silent.events)]).toEqual(['error', 'timeout']);
  });

  it('SIM-12: a refused attempt is made again, a hopeless one is not', async () => {
    const again = await read(ask(providerOf(protocol), '/sim say ok /sim fault 529 x2'));
    expect(stopOf(again.events)).toBe('end_turn');
    expect(simulator.log().filter(({ kind }) => kind === 'fault')).toHaveLength(2);
    simulator.clearLog();
    const hopeless = await read(ask(providerOf(protocol), '/sim fault 401'));
    expect([stopOf(hopeless.events), codeOf(hopeless.events)]).toEqual(['error', 'authentication']);
    expect(simulator.log().filter(({ kind }) => kind === 'fault')).toHaveLength(1);
  });

  it('SIM-12: an abort keeps what came', async () => {
    const user = new AbortController();
    const reply = ask(providerOf(protocol), '/sim long 5000 /sim slow 2', { signal: user.signal });
    setTimeout(() => user.abort(), 60);
    const { events } = await read(reply);
    expect(stopOf(events)).toBe('interrupted');
    expect(reply.raw().complete).toBe(false);
  });
});

function withoutSignature(block: object): object {
  return { ...block, signature: '', data: '' };
}

describe('servers with habits of their own', () => {
  const at = (vendor: string): Provider => {
    const chat = deployments.find(({ protocol }) => protocol === 'openai-chat');
    if (chat === undefined) throw new Error('Nothing simulates openai-chat.');
    return createProvider({ ...chat, baseUrl: `${simulator.url}/${vendor}/v1` }, { key: null, drainTimeoutMs: 50 });
  };
  const calls = (events: readonly StreamEvent[]) =>
    events.flatMap((event) => (event.type === 'tool_call' ? [event.parameters] : []));

  it('SIM-12: a finish reason after each call: cut anywhere, no call is run that did not come whole', async () => {
    const whole = await read(ask(at('together'), '/sim tools calculator x3'));
    expect(stopOf(whole.events)).toBe('tool_use');
    expect(calls(whole.events)).toHaveLength(3);
    for (let after = 0; after < whole.frames; after += 1) {
      const reply = ask(at('together'), `/sim tools calculator x3 /sim fault cut ${after}`);
      const { events } = await read(reply);
      expect(calls(whole.events)).toEqual(expect.arrayContaining(calls(events)));
      if (calls(events).length < 3) expect([stopOf(events), reply.raw().complete]).toEqual(['error', false]);
    }
  });

  it('SIM-12: a message beside each delta is read once, streamed and not', async () => {
    for (const stream of [true, false]) {
      const { events } = await read(ask(at('perplexity'), '/sim say Once and for all.', { stream }));
      expect(foldToBlocks(events).filter(({ type }) => type === 'text')).toEqual([
        { type: 'text', text: 'Once and for all.' },
      ]);
    }
  });
});
