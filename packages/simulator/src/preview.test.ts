import type { ContentBlock, NodeId, RawResponse, TreeNode } from '@bough/core';
import { createNode, nodeId, projectId } from '@bough/core';
import type { CallTarget, Provider } from '@bough/providers';
import {
  buildContentBlocksForProvider,
  buildContextBlocksFromRaw,
  createProvider,
  prepareCall,
  previewSwitch,
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

/** A short conversation with a tool loop, really held with the simulator. */
async function talk(to: CallTarget): Promise<{ path: TreeNode[]; raws: Map<NodeId, RawResponse> }> {
  const path: TreeNode[] = [];
  const raws = new Map<NodeId, RawResponse>();
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

describe('previewSwitch', () => {
  it('PRE-1: to stay changes nothing: everything survives, with its reasoning', async () => {
    const here = target('simulated', 'sim-thinker');
    const { path, raws } = await talk(here);
    const preview = previewSwitch(path, here, { rawOf: (id) => raws.get(id) });
    expect(preview).toMatchObject({ survives: 4, becomesText: 0, vanishes: 0, breakNodeId: null, obstacle: null });
    expect(preview.lines.map(({ thinking, tools }) => [thinking, tools])).toEqual([
      ['none', 'none'],
      ['kept', 'kept'],
      ['none', 'kept'],
      ['none', 'none'],
    ]);
  });

  it.each([
    ['another provider', 'simulated_gemini', 'sim-summary'],
    ['another protocol', 'simulated_responses', 'sim-summary'],
    ['another model of the same provider', 'simulated', 'sim-summary'],
  ])('PRE-1: to %s: reasoning is lost and calls become text, with the reasons', async (_, id, model) => {
    const { path, raws } = await talk(target('simulated', 'sim-thinker'));
    const preview = previewSwitch(path, target(id, model), { rawOf: (node) => raws.get(node) });
    expect(preview.breakNodeId).toBe(path[3]?.id);
    expect(preview.lines[1]).toMatchObject({ fidelity: 'canonical', thinking: 'lost', tools: 'as_text' });
    expect(preview.lines[1]?.reasons).toEqual(expect.arrayContaining(['model_break', 'tool_use_as_text']));
    const kept = previewSwitch(path, target(id, model, { keepToolsAfterBreak: true }), {
      rawOf: (node) => raws.get(node),
    });
    expect(kept.lines[1]).toMatchObject({ thinking: 'lost', tools: 'kept' });
  });

  it('PRE-1: another system prompt costs a model that binds its reasoning all of it, and no other', async () => {
    for (const [model, thinking] of [
      ['sim-bound', 'lost'],
      ['sim-thinker', 'kept'],
    ] as const) {
      const { path, raws } = await talk(target('simulated', model));
      const changed = target('simulated', model, { systemPrompt: 'Be brief.' });
      expect(previewSwitch(path, changed, { rawOf: (id) => raws.get(id) }).lines[1]?.thinking).toBe(thinking);
    }
  });

  it('PRE-2: what it shows is what the next message sends', async () => {
    const { path, raws } = await talk(target('simulated', 'sim-thinker'));
    const to = target('simulated_chat', 'sim-thinker');
    const sources = { rawOf: (id: NodeId) => raws.get(id) };
    const last = path.at(-1);
    const next = createNode({
      id: nodeId('next'),
      projectId: projectId('preview'),
      parentId: last?.id ?? null,
      role: 'user',
      contentBlocks: [{ type: 'text', text: 'Go on' }],
      createdAt: '',
    });
    const sent = prepareCall([...path, next], to, sources).report.slice(0, -1);
    expect(previewSwitch(path, to, sources).lines).toMatchObject(sent);
  });

  it('PRE-3: what is trimmed vanishes, and a newest message that does not fit is an obstacle, told in words', async () => {
    const { path, raws } = await talk(target('simulated', 'sim-thinker'));
    const here = target('simulated', 'sim-thinker');
    const modelInfo = (model: string) => ({
      ...here.provider.modelInfo(model),
      contextWindow: 60,
      maxOutputTokens: 10,
    });
    const tiny = { ...here, provider: { ...here.provider, modelInfo } };
    const sources = { rawOf: (id: NodeId) => raws.get(id) };
    expect(previewSwitch(path, tiny, sources)).toMatchObject({ vanishes: 4, obstacle: null });
    const [first] = path;
    if (first === undefined) throw new Error('The path is empty.');
    const long = { ...first, contentBlocks: [{ type: 'text', text: 'long '.repeat(500) }] };
    expect(previewSwitch([long], tiny, sources).obstacle).toContain('shorten it');
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
