import type { ContentBlock, NodeId, RawResponse, TreeNode } from '@bough/core';
import { createNode, nodeId, projectId, ReplyFold } from '@bough/core';
import type { CallTarget, PreparedCall, Provider } from '@bough/providers';
import { createProvider, prepareCall, simulatedDeployments } from '@bough/providers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCached } from './replay/invariants.ts';
import { everyOther, TurnCache } from './replay/turn-cache.ts';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'cached turns' });
});
afterAll(() => simulator.close());

const TOOLS = [{ name: 'calculator', description: 'Computes.', inputSchema: { type: 'object', properties: {} } }];

function simulated(protocol: string): Provider {
  const deployment = simulatedDeployments(simulator.url).find((candidate) => candidate.protocol === protocol);
  if (deployment === undefined) throw new Error(`Nothing simulates ${protocol}.`);
  return createProvider(deployment, { key: null });
}

/**
 * A conversation in which every request is made three times: without cached turns, with all of them, and with half of
 * them.
 */
class Talk {
  readonly cache = new TurnCache();
  readonly half = new TurnCache(everyOther);
  /** How many nodes of its path the newest request did not read. */
  unread = 0;
  readonly raws = new Map<NodeId, RawResponse>();
  readonly renderings = new Map<string, string>();
  path: TreeNode[] = [];
  target: CallTarget;
  static #count = 0;

  constructor(target: CallTarget) {
    this.target = target;
  }

  add(role: TreeNode['role'], contentBlocks: readonly ContentBlock[], rest: Partial<TreeNode> = {}): TreeNode {
    Talk.#count += 1;
    const parentId = this.path.at(-1)?.id ?? null;
    const id = nodeId(`n${Talk.#count}`);
    const node = createNode({
      ...rest,
      id,
      projectId: projectId('cached'),
      parentId,
      role,
      contentBlocks,
      createdAt: '',
    });
    this.path = [...this.path, node];
    return node;
  }

  prepare(): PreparedCall {
    const sources = {
      rawOf: (id: NodeId) => this.raws.get(id),
      renderingOf: (id: NodeId, key: string) => this.renderings.get(`${id} ${key}`),
    };
    const whole = prepareCall(this.path, this.target, sources);
    const { call, unread } = this.cache.prepare(this.path, this.target, sources);
    checkCached(call, whole);
    checkCached(this.half.prepare(this.path, this.target, sources).call, whole);
    this.unread = unread;
    for (const { nodeId: id, key, bytes } of call.request.renderings) this.renderings.set(`${id} ${key}`, bytes);
    return call;
  }

  /** A whole turn, with the tools that the model calls. */
  async say(text: string): Promise<void> {
    this.add('user', [{ type: 'text', text }]);
    for (let call = 0; call < 4; call += 1) {
      const { request, context } = this.prepare();
      const reply = this.target.provider.send(request, { signal: new AbortController().signal });
      const fold = new ReplyFold();
      for await (const { events } of reply.batches) for (const event of events) fold.push(event);
      const { provider, model: modelUsed } = reply.raw();
      const node = this.add('assistant', fold.blocks(), { provider, modelUsed, madeWith: context.madeWith });
      this.raws.set(node.id, reply.raw());
      const calls = node.contentBlocks.flatMap((block) => ('id' in block ? [String(block.id)] : []));
      for (const toolCallId of calls)
        this.add('tool', [{ type: 'text', text: `Result ${Talk.#count}.` }], { toolCallId });
      if (calls.length === 0) return;
    }
  }
}

const MODELS = [
  ...['sim-thinker', 'sim-interleaved', 'sim-parallel', 'sim-redacted', 'sim-bound', 'sim-hidden'].map(
    (model) => ['anthropic-messages', model] as const,
  ),
  ['openai-responses', 'sim-summary'],
  ['gemini', 'sim-summary'],
  ['openai-chat', 'sim-interleaved'],
] as const;

describe('cached turns', () => {
  it.each(MODELS)(
    'TC-1: %s %s: of a growing conversation only the last closed turn and the open one are read, and requests come out the same',
    async (protocol, model) => {
      const provider = simulated(protocol);
      const talk = new Talk({ provider, model, systemPrompt: 'Be brief.', tools: TOOLS, thinking: 'medium' });
      const lengths: number[] = [];
      for (const text of ['One', '/sim tools calculator', 'Three', '/sim tools calculator', 'Five']) {
        lengths.push(talk.path.length);
        await talk.say(text);
      }
      const [beforeFourth] = lengths.slice(-2);
      expect(talk.unread).toBeGreaterThanOrEqual(beforeFourth ?? 1);
      expect(simulator.log().filter(({ kind }) => kind !== 'accepted')).toEqual([]);
    },
  );

  it.each([
    ['anthropic-messages', 'sim-thinker'],
    ['openai-responses', 'sim-summary'],
  ])(
    'TC-2: %s: a call that repeats an id of a cached turn is sent under another id, as without the cache',
    async (protocol, model) => {
      const provider = simulated(protocol);
      const talk = new Talk({ provider, model, systemPrompt: null, tools: TOOLS, thinking: 'medium' });
      for (const text of ['/sim tools calculator', 'Two', 'Three']) await talk.say(text);
      const made = { provider: provider.deployment.id, modelUsed: model };
      const id = talk.path.find(({ toolCallId }) => toolCallId !== null)?.toolCallId ?? '';
      talk.add('user', [{ type: 'text', text: 'Again.' }]);
      talk.add('assistant', [{ type: 'tool-use', id, name: 'calculator', parameters: {} }], made);
      talk.add('tool', [{ type: 'text', text: '42' }], { toolCallId: id });
      const { body } = talk.prepare().request;
      expect(body.split(JSON.stringify(id))).toHaveLength(3);
    },
  );

  it.each([
    ['anthropic-messages', 'sim-thinker', 'sim-bound'],
    ['openai-responses', 'sim-summary', 'sim-thinker'],
    ['openai-chat', 'sim-thinker', 'sim-summary'],
    ['gemini', 'sim-summary', 'sim-hidden'],
  ])(
    'TC-2: %s: whatever changes in a path or beside it, requests are the same as if nothing were cached',
    async (protocol, model, other) => {
      const changes: Readonly<Record<string, (talk: Talk, at: number) => void>> = {
        'a node is left out': (talk, at) => (talk.path = talk.path.filter((_, index) => index !== at)),
        'raw is lost': (talk, at) => {
          const id = talk.path[at]?.id ?? nodeId('');
          talk.raws.delete(id);
          for (const cache of [talk.cache, talk.half]) cache.forget(id);
        },
        'thinking is wanted': (talk, at) =>
          (talk.path = talk.path.map((node, index) =>
            index === at ? { ...node, includeThinkingInContext: true } : node,
          )),
        'another prompt': (talk) => (talk.target = { ...talk.target, systemPrompt: 'Be wordy.' }),
        'other tools': (talk) => (talk.target = { ...talk.target, tools: [] }),
        'another model': (talk) => (talk.target = { ...talk.target, model: other }),
        'a small window': (talk) =>
          (talk.target = { ...talk.target, provider: withWindow(talk.target.provider, 1_500) }),
        'a message of the system': (talk) => void talk.add('system', [{ type: 'text', text: 'From now on, rhyme.' }]),
        'a blank message': (talk) => void talk.add('user', [{ type: 'text', text: ' ' }]),
        'the user repeats a thought': (talk) => {
          const thought = talk.path
            .flatMap(({ contentBlocks }) => contentBlocks)
            .find(({ type }) => type === 'thinking');
          const text = thought !== undefined && 'thinking' in thought ? String(thought.thinking) : '';
          talk.add('user', [{ type: 'text', text }]);
        },
      };
      const spoken = new Talk({
        provider: simulated(protocol),
        model,
        systemPrompt: null,
        tools: TOOLS,
        thinking: 'medium',
      });
      for (const text of ['One', '/sim tools calculator', 'Three', 'Four']) await spoken.say(text);
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom(...Object.keys(changes)), fc.nat(spoken.path.length - 1)), {
            maxLength: 4,
          }),
          fc.boolean(),
          (steps, isStored) => {
            const talk = new Talk(spoken.target);
            talk.path = spoken.path;
            for (const [id, raw] of spoken.raws) talk.raws.set(id, raw);
            if (isStored) for (const [key, bytes] of spoken.renderings) talk.renderings.set(key, bytes);
            for (const [change, at] of [['', 0] as const, ...steps]) {
              changes[change]?.(talk, at);
              const before = talk.path;
              talk.add('user', [{ type: 'text', text: 'And then?' }]);
              talk.prepare();
              talk.prepare();
              talk.path = before;
            }
            return Promise.resolve();
          },
        ),
        { numRuns: 40 },
      );
    },
  );
});

function withWindow(provider: Provider, contextWindow: number): Provider {
  const modelInfo: Provider['modelInfo'] = (model) => ({
    ...provider.modelInfo(model),
    contextWindow,
    maxOutputTokens: 500,
  });
  return createProvider({ ...provider.deployment, modelInfo }, { key: null });
}
