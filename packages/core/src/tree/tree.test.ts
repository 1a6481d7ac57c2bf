import { anyTree, sketch, SKETCH_PROJECT } from '@bough/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeId } from '../entities/index.ts';
import { UnknownIdError } from '../errors/index.ts';
import { createNode, matchKeyOf, messageOfNode } from './node.ts';
import { addNodes, childrenOf, deleteNode, emptyTree, getNode, InvalidTreeError, pathTo, siblingsOf } from './tree.ts';

const tree = addNodes(
  emptyTree,
  sketch(`
    u1 user: hello
    a1 assistant claude/opus: hi
    u2 user: next
    a2 assistant claude/opus: ok
    a1b < u1 assistant gpt/five: hey
    u2b < a1 user: other
  `),
);
const ids = (nodes: readonly { id: string }[]) => nodes.map((node) => node.id);

describe('reading a tree', () => {
  it('TR-1: the path goes from the root to the node', () => {
    expect(ids(pathTo(tree, nodeId('a2')))).toEqual(['u1', 'a1', 'u2', 'a2']);
    expect(ids(pathTo(tree, nodeId('u1')))).toEqual(['u1']);
  });

  it('TR-2: children and siblings come in order of creation, a node being among its siblings', () => {
    expect(ids(childrenOf(tree, nodeId('u1')))).toEqual(['a1', 'a1b']);
    expect(ids(childrenOf(tree, null))).toEqual(['u1']);
    expect(ids(siblingsOf(tree, nodeId('u2b')))).toEqual(['u2', 'u2b']);
    expect(childrenOf(tree, nodeId('a2'))).toEqual([]);
  });

  it('TR-3: an id that names nothing is an error everywhere', () => {
    const unknown = nodeId('nobody');
    for (const attempt of [
      () => getNode(tree, unknown),
      () => pathTo(tree, unknown),
      () => childrenOf(tree, unknown),
      () => siblingsOf(tree, unknown),
      () => deleteNode(tree, unknown, 'cascade'),
    ]) {
      expect(attempt).toThrow(UnknownIdError);
    }
  });

  it('TR-4: a node needs a parent that is there, and an id of its own', () => {
    const orphan = createNode({
      id: nodeId('x'),
      projectId: SKETCH_PROJECT,
      parentId: nodeId('nobody'),
      role: 'user',
      contentBlocks: [{ type: 'text', text: 'x' }],
      createdAt: '',
    });
    expect(() => addNodes(tree, [orphan])).toThrow(UnknownIdError);
    expect(() => addNodes(tree, [getNode(tree, nodeId('u1'))])).toThrow(InvalidTreeError);
  });
});

describe('deleteNode', () => {
  it('TR-5: cascade removes the subtree and nothing else, and the old tree stays as it was', () => {
    const { tree: after, removed } = deleteNode(tree, nodeId('a1'), 'cascade');
    expect(ids(removed.map((id) => ({ id }))).sort()).toEqual(['a1', 'a2', 'u2', 'u2b']);
    expect([...after.nodes.keys()]).toEqual(['u1', 'a1b']);
    expect(ids(childrenOf(after, nodeId('u1')))).toEqual(['a1b']);
    expect(tree.nodes.size).toBe(6);
  });

  it('TR-6: re-parenting hands the children to the parent, in place, with match keys that name it', () => {
    const { tree: after, removed, moved } = deleteNode(tree, nodeId('a1'), 'reparent');
    expect(removed).toEqual(['a1']);
    expect(ids(childrenOf(after, nodeId('u1')))).toEqual(['u2', 'u2b', 'a1b']);
    expect(ids(pathTo(after, nodeId('a2')))).toEqual(['u1', 'u2', 'a2']);
    for (const node of moved) expect(node.matchKey).toBe(matchKeyOf(nodeId('u1'), messageOfNode(node)));
  });

  it('TR-6: re-parenting the root makes its children roots', () => {
    const { tree: after } = deleteNode(tree, nodeId('u1'), 'reparent');
    expect(ids(childrenOf(after, null))).toEqual(['a1', 'a1b']);
  });

  it('TR-7: after any deletion every remaining node still has its whole path', () => {
    fc.assert(
      fc.property(anyTree, fc.nat(), fc.constantFrom('cascade' as const, 'reparent' as const), (nodes, pick, mode) => {
        const before = addNodes(emptyTree, nodes);
        const victim = nodes[pick % nodes.length];
        if (victim === undefined) return;
        const { tree: after, removed } = deleteNode(before, victim.id, mode);
        expect(after.nodes.size).toBe(before.nodes.size - removed.length);
        for (const node of after.nodes.values()) {
          const path = pathTo(after, node.id);
          expect(path[0]?.parentId).toBeNull();
          expect(siblingsOf(after, node.id)).toContain(node);
          expect(after.nodes.get(node.id)?.contentBlocks).toBe(before.nodes.get(node.id)?.contentBlocks);
        }
      }),
    );
  });
});
