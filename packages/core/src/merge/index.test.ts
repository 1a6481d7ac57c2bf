import { sketch, SKETCH_PROJECT } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import type { MergeBlock } from '../blocks/index.ts';
import { isKnownBlock, isMergeBlock } from '../blocks/index.ts';
import { buildChatContext } from '../context/index.ts';
import type { TreeNode } from '../entities/index.ts';
import { branchId, nodeId } from '../entities/index.ts';
import { messageOf } from '../messages/index.ts';
import { createNode, messageOfNode } from '../tree/index.ts';
import { broughtText, isMergeable, lastAnswer, mergeInstruction, mergeRange, mergeText } from './index.ts';

const tree = sketch(`
  u1 user: How tall is an oak?
  a1 assistant sim/one: Forty metres.
  u2 user: And an elm?
  a2 assistant sim/one: Thirty.
  u3 user: And a fir?
  a3 assistant sim/one: [call c1 look {}]
  t3 tool c1: sixty
  e3 assistant sim/one !error: overloaded
  m1 < a1 user: And in spring?
  r1 assistant sim/one: Green.
`);

const nodes = new Map(tree.map((node) => [node.id as string, node]));
const path = (...ids: readonly string[]): readonly TreeNode[] => ids.map((id) => nodes.get(id) as TreeNode);
const ids = (found: readonly TreeNode[]): readonly string[] => found.map(({ id }) => id);

function merged(id: string, parent: string, block: Partial<MergeBlock>): TreeNode {
  const merge: MergeBlock = {
    type: 'merge',
    branchId: branchId('elms'),
    branchName: 'elms',
    after: nodeId('a1'),
    upTo: nodeId('a2'),
    by: 'answer',
    nodeIds: [nodeId('a2')],
    ...block,
  };
  return createNode({
    id: nodeId(id),
    projectId: SKETCH_PROJECT,
    parentId: nodeId(parent),
    role: 'user',
    contentBlocks: [merge, { type: 'text', text: mergeText(merge, path('a2')) }],
    createdAt: '2026-01-01T00:00:00Z',
  });
}

const source = path('u1', 'a1', 'u2', 'a2', 'u3', 'a3', 't3', 'e3');
const target = path('u1', 'a1', 'm1', 'r1');

describe('mergeRange', () => {
  it('MG-720: what is brought came after the fork; of a conversation that shares nothing, all of it', () => {
    const { after, brought } = mergeRange(source, target);
    expect([after?.id, ...ids(brought)]).toEqual(['a1', 'u2', 'a2', 'u3', 'a3', 't3', 'e3']);
    expect(mergeRange(source, [])).toEqual({ after: null, brought: source });
    expect(mergeRange([], target)).toEqual({ after: null, brought: [] });
  });

  it('MG-721: a second merge brings what came after the first, also where its last node was deleted since', () => {
    const first = [...target, merged('x1', 'r1', {})];
    expect(ids(mergeRange(source, first).brought)).toEqual(['u3', 'a3', 't3', 'e3']);
    const gone = [...target, merged('x1', 'r1', { upTo: nodeId('gone') })];
    expect(ids(mergeRange(source, gone).brought)).toEqual(['u3', 'a3', 't3', 'e3']);
    expect(mergeRange(path('u1', 'a1', 'u2', 'a2'), first).brought).toEqual([]);
  });

  it('MG-721: what the source got from the target is not brought back, what it got from elsewhere is', () => {
    const back = merged('x2', 'a2', { upTo: nodeId('r1'), nodeIds: [nodeId('r1')] });
    const other = merged('x3', 'x2', { upTo: nodeId('elsewhere'), after: null, nodeIds: [] });
    const { brought } = mergeRange([...path('u1', 'a1', 'u2', 'a2'), back, other], target);
    expect(ids(brought)).toEqual(['u2', 'a2', 'x3']);
  });

  it('MG-722: calls, results and errors cannot be brought; the last answer says something', () => {
    expect(ids(source.filter(isMergeable))).toEqual(['u1', 'a1', 'u2', 'a2', 'u3']);
    expect(lastAnswer(source)?.id).toBe('a2');
    expect(lastAnswer(path('u1'))).toBeNull();
    const version = { type: 'canvas', text: 'Oaks', by: 'person', inContext: true };
    const told = {
      ...merged('v1', 'a2', {}),
      contentBlocks: [{ type: 'text', text: 'The canvas reads: Oaks' }, version],
    };
    expect(isMergeable(merged('v1', 'a2', {}))).toBe(true);
    expect(isMergeable(told)).toBe(false);
  });
});

describe('a merge as a message', () => {
  const node = merged('x1', 'r1', {});

  it('MG-723: its text is sent and its block is not, joined with the message that follows', () => {
    expect(messageOfNode(node)).toEqual({ role: 'user', content: [node.contentBlocks[1]] });
    const next = sketch('n1 user: Compare them.');
    const sent = buildChatContext([...target, node, ...next], { lock: { provider: 'sim', model: 'one' } });
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(JSON.stringify(sent)).not.toContain('"merge"');
    expect(sent.at(-1)?.content).toEqual([node.contentBlocks[1], { type: 'text', text: 'Compare them.' }]);
  });

  it('MG-723: nobody can send such a block: only the tree holds it, and only in the shape that it has', () => {
    expect(() => messageOf('user', node.contentBlocks)).toThrow('text and files only');
    const [block] = node.contentBlocks;
    expect([block].map((known) => known && isKnownBlock(known))).toEqual([true]);
    for (const wrong of [{ by: 'magic' }, { nodeIds: [1] }, { after: 7 }, { upTo: null }])
      expect(isMergeBlock({ type: 'merge', ...block, ...wrong })).toBe(false);
  });

  it('MG-724: the text names its source; what was brought is found in it again', () => {
    for (const by of ['answer', 'summary', 'messages'] as const) {
      const text = mergeText({ branchName: 'elms', by }, path('u2', 'a2'));
      expect(text).toContain('"elms"');
      expect(broughtText({ branchName: 'elms', by }, text)).toContain('Thirty.');
      expect(broughtText({ branchName: 'elms', by }, text)).not.toContain('elms');
    }
    expect(broughtText({ branchName: 'elms', by: 'answer' }, 'of another program')).toBe('of another program');
  });

  it('MG-724: the request for a summary quotes where what is new begins', () => {
    expect(mergeInstruction(nodes.get('a1') ?? null, undefined)).toContain('> Forty metres.');
    expect(mergeInstruction(null, 'In French.')).toMatch(/Summarise this conversation\.[^]*In French\./);
  });
});
