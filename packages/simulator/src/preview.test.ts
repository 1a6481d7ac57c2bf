import type { ContentBlock, NodeId, RawResponse, TreeNode } from '@bough/core';
import { createNode, isThinkingBlock, nodeId, projectId } from '@bough/core';
import type { CallTarget, Provider } from '@bough/providers';
import {
  buildContentBlocksForProvider,
  buildContextBlocksFromRaw,
  createProvider,
  prepareCall,
  simulatedDeployments,
} from '@bough/providers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

let simulator: Simulator;
let providers: ReadonlyMap<string, Provider>;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'preview' });
  providers = new Map(
    simulatedDeployments(simulator.url).map((deployment) => [deployment.id, createProvider(deployment, { key: null })]),
  );
});
afterAll(() => simulator.close());

const TOOLS = [{ name: 'calculator', description: 'Computes.', inputSchema: { type: 'object', properties: {} } }];

function target(id: string, model: string, change: Partial<CallTarget> = {}): CallTarget {
  const provider = providers.get(id);
  if (provider === undefined) throw new Error(`There is no provider ${id}.`);
  return { provider, model, systemPrompt: null, tools: TOOLS, thinking: 'medium', ...change };
}

/** A short conversation with a tool loop, actually held with the simulator. */
async function talk(
  to: CallTarget,
  from: readonly TreeNode[] = [],
  before: ReadonlyMap<NodeId, RawResponse> = new Map(),
): Promise<{ path: TreeNode[]; raws: Map<NodeId, RawResponse> }> {
  const path = [...from];
  const raws = new Map(before);
  const append = (
    role: TreeNode['role'],
    contentBlocks: readonly ContentBlock[],
    rest: Partial<TreeNode> = {},
  ): TreeNode => {
    const node = createNode({
      ...rest,
      id: nodeId(`n${path.length}`),
      projectId: projectId('preview'),
      parentId: path.at(-1)?.id ?? null,
      role,
      contentBlocks,
      createdAt: '',
    });
    path.push(node);
    return node;
  };
  append('user', [{ type: 'text', text: '/sim tools calculator' }]);
  for (let step = 0; step < 2; step += 1) {
    const { request, context } = prepareCall(path, to, { rawOf: (id) => raws.get(id) });
    const reply = to.provider.send(request, { signal: new AbortController().signal });
    for await (const batch of reply.batches) expect(batch.events.some(({ type }) => type === 'error')).toBe(false);
    const node = append('assistant', buildContentBlocksForProvider(reply.raw()), {
      provider: to.provider.deployment.id,
      modelUsed: to.model,
      madeWith: context.madeWith,
    });
    raws.set(node.id, reply.raw());
    for (const block of node.contentBlocks) {
      if (block.type === 'tool-use')
        append('tool', [{ type: 'text', text: '42' }], { toolCallId: String(block['id']) });
    }
  }
  return { path, raws };
}

/** The request that the next message would cause. */
function next(path: readonly TreeNode[], to: CallTarget, raws: ReadonlyMap<NodeId, RawResponse>) {
  const message = createNode({
    id: nodeId('next'),
    projectId: projectId('preview'),
    parentId: path.at(-1)?.id ?? null,
    role: 'user',
    contentBlocks: [{ type: 'text', text: 'Go on' }],
    createdAt: '',
  });
  return prepareCall([...path, message], to, { rawOf: (id) => raws.get(id) });
}

function signaturesIn(path: readonly TreeNode[]): readonly string[] {
  return path.flatMap(({ contentBlocks }) =>
    contentBlocks.filter(isThinkingBlock).flatMap(({ signature }) => signature ?? []),
  );
}

describe('the report of a request', () => {
  it('PRE-1: to stay changes nothing: everything survives, with its reasoning', async () => {
    const here = target('simulated', 'sim-thinker');
    const { path, raws } = await talk(here);
    const { report, request, context } = next(path, here, raws);
    expect(report.map(({ fidelity, reasons }) => [fidelity, reasons])).toEqual(report.map(() => ['verbatim', []]));
    expect(report).toHaveLength(5);
    expect(context.breakNodeId).toBeNull();
    expect(signaturesIn(path).length).toBeGreaterThan(0);
    for (const signature of signaturesIn(path)) expect(request.body).toContain(signature);
  });

  it.each([
    ['another provider', 'simulated_gemini', 'sim-summary'],
    ['another protocol', 'simulated_responses', 'sim-summary'],
  ])('PRE-1: to %s: reasoning is lost and calls become text, with the reasons', async (_, id, model) => {
    const { path, raws } = await talk(target('simulated', 'sim-thinker'));
    const { report, request, context } = next(path, target(id, model), raws);
    expect(context.breakNodeId).toBe(path[3]?.id);
    expect(report[1]?.fidelity).toBe('canonical');
    expect(report[1]?.reasons).toEqual(expect.arrayContaining(['model_break', 'tool_use_as_text']));
    for (const signature of signaturesIn(path)) expect(request.body).not.toContain(signature);
    const kept = next(path, target(id, model, { keepToolsAfterBreak: true }), raws);
    expect(kept.report[1]?.reasons).not.toContain('tool_use_as_text');
  });

  it('PRE-1: another model of the provider that does not read the reasoning gets the calls as they are', async () => {
    const { path, raws } = await talk(target('simulated', 'sim-thinker'));
    const { report, request, context } = next(path, target('simulated', 'sim-summary'), raws);
    expect(context.breakNodeId).toBe(path[3]?.id);
    expect(report[1]).toMatchObject({ fidelity: 'canonical', reasons: ['thinking_not_replayable'] });
    expect(request.body).toContain('"type":"tool_use"');
    for (const signature of signaturesIn(path)) expect(request.body).not.toContain(signature);
  });

  it.each([
    ['simulated', 'claude-opus-5', 'claude-fable-5-1', true],
    ['simulated', 'claude-fable-5-1', 'claude-opus-5', false],
    ['simulated', 'claude-haiku-5-5', 'claude-sonnet-5-5', true],
    ['simulated_responses', 'gpt-5.5', 'gpt-6.1-sol', true],
    ['simulated_responses', 'gpt-6.1-sol', 'gpt-4o', false],
  ])('PRE-5: on %s, what %s thought goes to %s: %s', async (id, maker, reader, isRead) => {
    const { path, raws } = await talk(target(id, maker));
    const there = target(id, reader);
    const { report, request } = next(path, there, raws);
    const thoughts = signaturesIn(path);
    expect(thoughts.length).toBeGreaterThan(0);
    expect(thoughts.filter((signature) => request.body.includes(signature))).toEqual(isRead ? thoughts : []);
    expect(report[1]?.fidelity).toBe(isRead ? 'verbatim' : 'canonical');
    simulator.clearLog();
    const reply = there.provider.send(request, { signal: new AbortController().signal });
    for await (const { events } of reply.batches) expect(events.some(({ type }) => type === 'error')).toBe(false);
    expect(simulator.log().filter(({ kind }) => kind === 'rejected')).toEqual([]);
    // Another model may have said the same words: only what this one thought counts.
    const withheld = new Set(simulator.log().flatMap((entry) => entry.withheld ?? []));
    expect(thoughts.filter((signature) => withheld.has(signature))).toEqual([]);
  });

  it('PRE-6: a model to which the conversation returns gets back what it thought before', async () => {
    const here = target('simulated', 'sim-bound');
    const { path, raws } = await talk(here);
    const away = target('simulated_gemini', 'sim-summary');
    const { path: rest, raws: others } = await talk(away, path, raws);
    const { report, request } = next(rest, here, others);
    expect(signaturesIn(path).length).toBeGreaterThan(0);
    for (const signature of signaturesIn(path)) expect(request.body).toContain(signature);
    expect(report.slice(0, 4).every(({ fidelity }) => fidelity === 'verbatim')).toBe(true);
    const text = next(rest, { ...here, replayBy: 'break' }, others);
    for (const signature of signaturesIn(path)) expect(text.request.body).not.toContain(signature);
  });

  it('PRE-1: another system prompt costs a model that binds its reasoning all of it, and no other', async () => {
    for (const [model, isLost] of [
      ['sim-bound', true],
      ['sim-thinker', false],
    ] as const) {
      const { path, raws } = await talk(target('simulated', model));
      const { report } = next(path, target('simulated', model, { systemPrompt: 'Be brief.' }), raws);
      expect(report[1]?.reasons.includes('thinking_prefix_changed')).toBe(isLost);
    }
  });

  it('PRE-3: what is trimmed vanishes, and a newest message that does not fit is an error, told in words', async () => {
    const { path, raws } = await talk(target('simulated', 'sim-thinker'));
    const here = target('simulated', 'sim-thinker');
    const modelInfo = (model: string) => ({
      ...here.provider.modelInfo(model),
      contextWindow: 60,
      maxOutputTokens: 10,
    });
    const tiny = { ...here, provider: { ...here.provider, modelInfo } };
    expect(next(path, tiny, raws).report.filter(({ fidelity }) => fidelity === 'dropped')).toHaveLength(4);
    const [first] = path;
    if (first === undefined) throw new Error('The path is empty.');
    const long = { ...first, contentBlocks: [{ type: 'text', text: 'long '.repeat(500) }] };
    expect(() => prepareCall([long], tiny, { rawOf: () => undefined })).toThrow('shorten it');
  });
});

describe('buildContextBlocksFromRaw', () => {
  it('PRE-4: to its issuer a reply goes back with its signed reasoning, to others without any', async () => {
    const here = target('simulated', 'sim-thinker');
    const { raws } = await talk(here);
    const [raw] = raws.values();
    if (raw === undefined) throw new Error('There is no raw.');
    const types = (id: string, model: string): string[] =>
      buildContextBlocksFromRaw(raw, { deployment: target(id, model).provider.deployment, model }).map(
        ({ type }) => type,
      );
    expect(types('simulated', 'sim-thinker')).toEqual(['thinking', 'thinking', 'text', 'tool-use']);
    expect(types('simulated', 'sim-summary')).toEqual(['text', 'tool-use']);
    expect(types('simulated_gemini', 'sim-summary')).toEqual(['text', 'tool-use']);
  });

  it('PRE-4: Gemini gets its signatures back and not the text of its thoughts', async () => {
    const here = target('simulated_gemini', 'sim-summary');
    const { raws } = await talk(here);
    const [raw] = raws.values();
    if (raw === undefined) throw new Error('There is no raw.');
    const back = buildContextBlocksFromRaw(raw, { deployment: here.provider.deployment, model: here.model });
    expect(back.map(({ type }) => type)).toContain('thinking_signature');
    expect(back.map(({ type }) => type)).not.toContain('thinking');
    expect(buildContentBlocksForProvider(raw).map(({ type }) => type)).toContain('thinking');
  });
});
