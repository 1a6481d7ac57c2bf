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
    ['another model of the same provider', 'simulated', 'sim-summary'],
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
