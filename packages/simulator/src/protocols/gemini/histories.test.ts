import type { NodeId, RawResponse, StreamEvent, ThinkingSetting, TreeNode } from '@bough/core';
import { createNode, foldToBlocks, isToolUseBlock, nodeId, projectId } from '@bough/core';
import type { PreparedCall, Provider } from '@bough/providers';
import { createProvider, prepareCall, protocolById, simulatedDeployments } from '@bough/providers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from '../../server.ts';
import { startSimulator } from '../../server.ts';
import { geminiProtocol } from './index.ts';

let simulator: Simulator;
let provider: Provider;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'histories', protocols: [geminiProtocol] });
  const deployment = simulatedDeployments(simulator.url).find(({ protocol }) => protocol === 'gemini');
  if (deployment === undefined) throw new Error('There is no simulated Gemini.');
  provider = createProvider(deployment, { key: null });
});
afterAll(() => simulator.close());

const MODELS = [
  'sim-summary',
  'sim-interleaved',
  'sim-parallel',
  'sim-plain',
  'gemini-3.8-flash',
  'gemini-3.1-pro-preview',
  'gemini-2.5-flash',
];
const MESSAGES = [
  'Hello',
  'What is 2 + 2?',
  '/sim tools weather',
  '/sim tools x3',
  '/sim tools x2 steps 2',
  '/sim think 3',
  '/sim unicode',
  '/sim empty',
  '/sim redacted 2',
  '/sim unknown',
  '/sim max_tokens',
  '/sim refuse',
  '/sim long 3000',
];
const THINKING: readonly ThinkingSetting[] = ['off', 'low', 'medium', 'high', { budgetTokens: 5000 }];
const TOOLS = ['weather', 'clock', 'calculator'].map((name) => ({
  name,
  description: `The ${name}.`,
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
}));

/** The same numbers for the same seed, on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The bytes of a request up to the end of its last content: what the next one must begin with. */
function conversationOf(body: string): string {
  return body.slice(0, body.search(/\],(?:"toolConfig":\{[^\]]*)?"generationConfig":\{[^\]]*$/));
}

interface Heard {
  readonly raw: RawResponse;
  readonly events: readonly StreamEvent[];
}

interface Settings {
  readonly model: string;
  readonly system: string | null;
  readonly keepTools: boolean;
}

/** A tree that grows by real calls to the simulator. */
class Garden {
  readonly nodes = new Map<NodeId, TreeNode>();
  /** What should not have happened. */
  readonly complaints: string[] = [];
  readonly #raws = new Map<NodeId, RawResponse>();
  readonly #renderings = new Map<string, string>();
  readonly #random: () => number;
  #count = 0;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.#random() * choices.length)];
    if (choice === undefined) throw new Error('There is nothing to choose from.');
    return choice;
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  path(tip: NodeId | null): readonly TreeNode[] {
    const node = tip === null ? undefined : this.nodes.get(tip);
    return node === undefined ? [] : [...this.path(node.parentId), node];
  }

  async turn(tip: NodeId | null, settings: Settings): Promise<NodeId> {
    const cut = this.chance(0.25) ? ` /sim fault cut ${this.pick([0, 1, 2, 3, 5, 8])}` : '';
    let at = this.#add(tip, 'user', [{ type: 'text', text: this.pick(MESSAGES) + cut }]);
    const thinking = this.pick(THINKING);
    let before = '';
    for (let step = 0; step < 5; step += 1) {
      const call = this.#prepare(at, { ...settings, thinking });
      if (!call.request.body.startsWith(before))
        this.complaints.push('A request does not begin with the one before it.');
      before = conversationOf(call.request.body);
      const { raw, events } = await this.#send(call);
      const blocks = foldToBlocks(events);
      const again = JSON.stringify(protocolById('gemini').toContentBlocks(raw));
      if (again !== JSON.stringify(blocks))
        this.complaints.push('The stored reply gives other blocks than the stream.');
      const isEmpty = blocks.length === 0;
      at = this.#add(at, 'assistant', isEmpty ? [{ type: 'text', text: 'It failed.' }] : blocks, {
        provider: provider.deployment.id,
        modelUsed: settings.model,
        isError: isEmpty,
        interrupted: !isEmpty && !raw.complete,
      });
      this.#raws.set(at, raw);
      const calls = blocks.filter(isToolUseBlock);
      if (calls.length === 0 || !raw.complete) return at;
      for (const { id } of calls) {
        // A tool that was never run: the user went on without it.
        if (!this.chance(0.1))
          at = this.#add(at, 'tool', [{ type: 'text', text: this.pick(['rain', '', '{"a":1}']) }], { toolCallId: id });
      }
      if (this.chance(0.1)) return at;
    }
    return at;
  }

  #prepare(tip: NodeId, target: Settings & { readonly thinking: ThinkingSetting }): PreparedCall {
    const { model, system, keepTools, thinking } = target;
    const call = prepareCall(
      this.path(tip),
      {
        provider,
        model,
        systemPrompt: system,
        tools: TOOLS,
        thinking,
        keepToolsAfterBreak: keepTools,
        toolChoice: this.chance(0.1) ? 'none' : 'auto',
      },
      { rawOf: (node) => this.#raws.get(node), renderingOf: (node, key) => this.#renderings.get(`${node} ${key}`) },
    );
    for (const { rule, message } of call.request.violations) this.complaints.push(`${rule}: ${message}`);
    for (const { nodeId: node, key, bytes } of call.request.renderings) this.#renderings.set(`${node} ${key}`, bytes);
    return call;
  }

  async #send(call: PreparedCall): Promise<Heard> {
    const { request, report } = call;
    const events: StreamEvent[] = [];
    const reply = provider.send(request, { signal: new AbortController().signal });
    const logged = simulator.log().length;
    for await (const batch of reply.batches) events.push(...batch.events);
    const drops = simulator
      .log()
      .slice(logged)
      .filter(({ kind }) => kind === 'silent_drop');
    // What the provider lost must have been reported before, as a reply that is not sent as it arrived.
    const isTold = report.some(({ fidelity, reasons }) => fidelity !== 'verbatim' || reasons.length > 0);
    if (!isTold) this.complaints.push(...drops.map(({ detail }) => `Lost and not told: ${detail}`));
    const error = events.find((event) => event.type === 'error')?.error;
    const isRefused = error?.code === 'history_rejected' || error?.code === 'invalid_request';
    if (isRefused) this.complaints.push(`Refused: ${error.message}`);
    return { raw: reply.raw(), events };
  }

  #add(
    parentId: NodeId | null,
    role: TreeNode['role'],
    contentBlocks: TreeNode['contentBlocks'],
    change: Partial<TreeNode> = {},
  ): NodeId {
    this.#count += 1;
    const id = nodeId(`n${this.#count}`);
    this.nodes.set(
      id,
      createNode({
        id,
        projectId: projectId('p'),
        parentId,
        role,
        contentBlocks,
        createdAt: '2026-11-15T00:00:00Z',
        ...change,
      }),
    );
    return id;
  }
}

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);

describe('random histories against simulated gemini', () => {
  it.each(SEEDS)(
    'SIM-GEM-7: seed %i: branches, switches, broken replies and missing results are never refused',
    async (seed) => {
      simulator.clearLog();
      const garden = new Garden(seed);
      let settings = {
        model: garden.pick(MODELS),
        system: garden.pick([null, 'Be brief.']),
        keepTools: garden.chance(0.5),
      };
      let tip: NodeId | null = null;
      for (let turn = 0; turn < 7; turn += 1) {
        if (garden.chance(0.3)) settings = { ...settings, model: garden.pick(MODELS) };
        if (garden.chance(0.1)) settings = { ...settings, system: garden.pick([null, 'Be long.']) };
        // A fork from any node, even in the middle of a tool loop.
        if (tip !== null && garden.chance(0.3)) tip = garden.pick([...garden.nodes.keys()]);
        tip = await garden.turn(tip, settings);
      }
      expect(garden.complaints).toEqual([]);
      expect(simulator.log().filter(({ kind }) => kind === 'rejected')).toEqual([]);
    },
  );
});
