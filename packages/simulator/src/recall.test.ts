import type { ContentBlock, NodeId, RawResponse, TreeNode } from '@bough/core';
import { createNode, nodeId, projectId, ReplyFold } from '@bough/core';
import type { CallTarget, PreparedCall, Provider } from '@bough/providers';
import { createProvider, createRecall, prepareCall, simulatedDeployments } from '@bough/providers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRecall } from './replay/invariants.ts';
import { prepareSparingly, reread } from './replay/sparing.ts';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'recall' });
});
afterAll(() => simulator.close());

const TOOLS = [{ name: 'calculator', description: 'Computes.', inputSchema: { type: 'object', properties: {} } }];

/** A provider that counts how often a request is made behind a settled front. */
function counting(): { readonly provider: Provider; readonly quick: () => number } {
  const [deployment] = simulatedDeployments(simulator.url);
  if (deployment === undefined) throw new Error('Nothing is simulated.');
  const provider = createProvider(deployment, { key: null });
  let quick = 0;
  const prepareBehind: Provider['prepareBehind'] = (input, front) => {
    const request = provider.prepareBehind(input, front);
    quick += request === null ? 0 : 1;
    return request;
  };
  return { provider: { ...provider, prepareBehind }, quick: () => quick };
}

/** A conversation whose every request is made twice: by a process that remembers, and by one that has just begun. */
class Talk {
  readonly recall = createRecall();
  readonly sparingRecall = createRecall();
  /** How many requests were made without reading their front. */
  spared = 0;
  readonly raws = new Map<NodeId, RawResponse>();
  readonly renderings = new Map<string, string>();
  path: TreeNode[] = [];
  unstored: PreparedCall['request']['renderings'] = [];
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
      projectId: projectId('recall'),
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
    const remembered = prepareCall(reread(this.path), this.target, { ...sources, recall: this.recall });
    const begun = prepareCall(this.path, this.target, sources);
    checkRecall(remembered, begun);
    const { call, isSpared } = prepareSparingly(this.path, this.target, sources, this.sparingRecall);
    checkRecall(call, begun);
    this.spared += isSpared ? 1 : 0;
    this.unstored = remembered.request.renderings;
    return remembered;
  }

  /** A whole turn, with the tools that the model calls. */
  async say(text: string): Promise<void> {
    this.add('user', [{ type: 'text', text }]);
    for (let call = 0; call < 4; call += 1) {
      const { request, context } = this.prepare();
      for (const { nodeId: id, key, bytes } of request.renderings) this.renderings.set(`${id} ${key}`, bytes);
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

describe('what a process remembers', () => {
  it.each(['sim-thinker', 'sim-interleaved', 'sim-parallel', 'sim-redacted', 'sim-bound', 'sim-hidden'])(
    'REC-1: %s: a growing conversation is made behind its front, and comes out the same',
    async (model) => {
      const { provider, quick } = counting();
      const talk = new Talk({ provider, model, systemPrompt: 'Be brief.', tools: TOOLS, thinking: 'medium' });
      for (const text of ['One', '/sim tools calculator', 'Three', '/sim tools calculator', 'Five'])
        await talk.say(text);
      expect(quick()).toBeGreaterThanOrEqual(10);
      expect(talk.spared).toBeGreaterThanOrEqual(4);
      expect(simulator.log().filter(({ kind }) => kind !== 'accepted')).toEqual([]);
    },
  );

  it('REC-2: whatever changes in the front or beside it, the request comes out as if nothing were remembered', async () => {
    const changes: Readonly<Record<string, (talk: Talk, at: number) => void>> = {
      'a node is left out': (talk, at) => (talk.path = talk.path.filter((_, index) => index !== at)),
      'raw is lost': (talk, at) => talk.raws.delete(talk.path[at]?.id ?? nodeId('')),
      'thinking is wanted': (talk, at) =>
        (talk.path = talk.path.map((node, index) =>
          index === at ? { ...node, includeThinkingInContext: true } : node,
        )),
      'a reply failed': (talk, at) =>
        (talk.path = talk.path.map((node, index) => (index === at ? { ...node, isError: true } : node))),
      'another prompt': (talk) => (talk.target = { ...talk.target, systemPrompt: 'Be wordy.' }),
      'other tools': (talk) => (talk.target = { ...talk.target, tools: [] }),
      'another model': (talk) => (talk.target = { ...talk.target, model: 'sim-bound' }),
      'a small window': (talk) => (talk.target = { ...talk.target, provider: withWindow(talk.target.provider, 1_500) }),
      'a message of the system': (talk) => void talk.add('system', [{ type: 'text', text: 'From now on, rhyme.' }]),
      'a blank message': (talk) => void talk.add('user', [{ type: 'text', text: ' ' }]),
      'another server stored other words': (talk) => {
        for (const { nodeId: id, key, bytes } of talk.unstored)
          talk.renderings.set(`${id} ${key}`, bytes.replace('{"', '{ "'));
      },
      'the user repeats a thought': (talk) => {
        const thought = talk.path.flatMap(({ contentBlocks }) => contentBlocks).find(({ type }) => type === 'thinking');
        const text = thought !== undefined && 'thinking' in thought ? String(thought.thinking) : '';
        talk.add('user', [{ type: 'text', text }]);
      },
    };
    const { provider } = counting();
    const spoken = new Talk({ provider, model: 'sim-thinker', systemPrompt: null, tools: TOOLS, thinking: 'medium' });
    for (const text of ['One', '/sim tools calculator', 'Three', 'Four']) await spoken.say(text);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...Object.keys(changes)), fc.nat(spoken.path.length - 1)), { maxLength: 4 }),
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
      { numRuns: 60 },
    );
  });
});

function withWindow(provider: Provider, contextWindow: number): Provider {
  const modelInfo: Provider['modelInfo'] = (model) => ({
    ...provider.modelInfo(model),
    contextWindow,
    maxOutputTokens: 500,
  });
  return createProvider({ ...provider.deployment, modelInfo }, { key: null });
}
