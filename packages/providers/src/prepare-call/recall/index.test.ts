import { createNode, nodeId, projectId, type TreeNode } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { createProvider } from '../../create-provider.ts';
import { simulatedDeployments } from '../../deployments/index.ts';
import { createRecall } from './index.ts';

/** As a store gives it: another object every time. */
function read(id: string, text: string): TreeNode {
  return createNode({
    id: nodeId(id),
    projectId: projectId('p'),
    parentId: null,
    role: 'user',
    contentBlocks: [{ type: 'text', text }],
    createdAt: '2026-01-01T00:00:00.000Z',
  });
}

describe('what a process remembers', () => {
  it('is the same node for every reading of it, and another one where it differs', () => {
    const recall = createRecall();
    const first = recall.node(read('a', 'hello'));
    expect(recall.node(read('a', 'hello'))).toBe(first);
    expect(recall.node({ ...read('a', 'hello'), includeThinkingInContext: true })).not.toBe(first);
    const edited = { ...read('a', 'hallo'), matchKey: first.matchKey };
    expect(recall.node(edited)).toBe(edited);
  });

  it.each([
    ['nodes', { nodes: 2 }, 'x'],
    ['characters', { characters: 200 }, 'x'.repeat(100)],
  ])('is bounded by the number of %s; what is used stays', (_, limits, text) => {
    const recall = createRecall(limits);
    const used = recall.node(read('used', text));
    const unused = recall.node(read('unused', text));
    for (let count = 0; count < 10; count += 1) {
      recall.node(read(`other ${count}`, text));
      expect(recall.node(read('used', text))).toBe(used);
    }
    expect(recall.node(read('unused', text))).not.toBe(unused);
  });

  it('has room for few nodes, until a longer path was talked to', () => {
    const recall = createRecall();
    const readPath = () => Array.from({ length: 10_000 }, (_, at) => read(`node ${at}`, 'x'));
    const deployment = simulatedDeployments('http://127.0.0.1:9')[0] ?? expect.unreachable();
    const provider = createProvider(deployment, { key: null });
    const target = { provider, model: 'sim-thinker', systemPrompt: null, tools: [], thinking: 'medium' as const };
    const first = readPath().map(recall.node);
    expect(recall.node(read('node 0', 'x'))).not.toBe(first[0]);
    recall.judged(first, target, null);
    const second = readPath().map(recall.node);
    expect(readPath().map(recall.node)).toEqual(second);
    expect(readPath().every((node, at) => recall.node(node) === second[at])).toBe(true);
  });
});
