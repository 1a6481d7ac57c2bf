import { nodeId, UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import { ConflictError } from '../../errors.ts';
import { buildNode, buildReply, NOWHERE, seedChain, seedProject } from '../build.ts';
import type { Rule } from '../harness.ts';

export function nodes(rule: Rule): void {
  rule('ST-13', 'nodes are added parents first and the tip moves with them', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const user = buildNode(project, null, 'one');
    const reply = buildReply(project, user, 'two');
    await store.appendNodes(project.id, [user, reply], { branchId: branch.id, expected: null, next: reply.id });
    const reopened = await reopen();
    expect(await reopened.path(project.id, reply.id)).toStrictEqual([user, reply]);
    expect((await reopened.getBranch(project.id, branch.id)).tipId).toBe(reply.id);
  });

  rule('ST-5', 'a tip that moved meanwhile stores none of the nodes', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const [root] = await seedChain(store, project, null, ['root']);
    if (!root) throw new Error('the chain has a node');
    await store.moveTip(project.id, branch.id, { expected: null, next: root.id });
    const late = buildNode(project, null, 'late');
    await expect(
      store.appendNodes(project.id, [late], { branchId: branch.id, expected: null, next: late.id }),
    ).rejects.toMatchObject({ code: 'tip_moved', conflicting: root.id });
    const reopened = await reopen();
    await expect(reopened.findNode(late.id)).rejects.toBeInstanceOf(UnknownIdError);
    expect((await reopened.getBranch(project.id, branch.id)).tipId).toBe(root.id);
  });

  rule('ST-5', 'one bad node in a batch stores none of them', async ({ store }) => {
    const { project } = await seedProject(store);
    const good = buildNode(project, null, 'good');
    const orphan = buildNode(project, { id: NOWHERE.node }, 'orphan');
    await expect(store.appendNodes(project.id, [good, orphan])).rejects.toBeInstanceOf(UnknownIdError);
    const child = buildNode(project, good, 'child');
    await expect(store.appendNodes(project.id, [child, good])).rejects.toBeInstanceOf(UnknownIdError);
    await expect(store.appendNodes(project.id, [good, good])).rejects.toMatchObject({ code: 'id_taken' });
    await expect(
      store.appendNodes(project.id, [buildNode(project, null, 'of no turn', { turnId: NOWHERE.turn })]),
    ).rejects.toBeInstanceOf(UnknownIdError);
    expect(await store.children(project.id, null)).toStrictEqual([]);
  });

  rule('ST-7', 'a stored node is never overwritten', async ({ store }) => {
    const { project } = await seedProject(store);
    const node = buildNode(project, null, 'first');
    await store.appendNodes(project.id, [node]);
    const fresh = buildNode(project, null, 'fresh');
    await expect(store.appendNodes(project.id, [fresh, { ...node, content: 'second' }])).rejects.toMatchObject({
      code: 'id_taken',
      conflicting: node.id,
    });
    await expect(store.appendNodes(project.id, [node])).rejects.toBeInstanceOf(ConflictError);
    expect(await store.children(project.id, null)).toStrictEqual([node]);
  });

  rule('ST-14', 'a path runs from the root to the node', async ({ store }) => {
    const { project } = await seedProject(store);
    const chain = await seedChain(store, project, null, ['a', 'b', 'c', 'd', 'e']);
    await seedChain(store, project, chain[1] ?? null, ['side', 'track']);
    expect(await store.path(project.id, chain[4]?.id ?? NOWHERE.node)).toStrictEqual(chain);
    expect(await store.path(project.id, chain[0]?.id ?? NOWHERE.node)).toStrictEqual(chain.slice(0, 1));
  });

  rule('ST-14', 'a path of thousands of nodes is read whole', async ({ store }) => {
    const { project } = await seedProject(store);
    const texts = Array.from({ length: 3000 }, (_, index) => `message ${index}`);
    const chain = await seedChain(store, project, null, texts);
    const path = await store.path(project.id, chain.at(-1)?.id ?? NOWHERE.node);
    expect(path.map(({ content }) => content)).toStrictEqual(texts);
    // Big enough to slow down every test that opens the store again.
    await store.deleteProject(project.id);
  });

  rule('ST-14', 'children and roots come in the order in which they were stored', async (subject) => {
    const { project } = await seedProject(subject.store);
    const root = buildNode(project, null, 'root');
    const laterRoot = buildNode(project, null, 'later root', { createdAt: root.createdAt });
    // Equal times, and ids in reverse order: neither may decide.
    const siblings = ['z', 'm', 'a'].map((letter) =>
      buildNode(project, root, letter, { id: nodeId(`${letter}-${root.id}`), createdAt: root.createdAt }),
    );
    await subject.store.appendNodes(project.id, [root, ...siblings.slice(0, 2)]);
    await subject.store.appendNodes(project.id, [laterRoot]);
    await subject.store.appendNodes(project.id, siblings.slice(2));
    const store = await subject.reopen();
    expect(await store.children(project.id, root.id)).toStrictEqual(siblings);
    expect(await store.children(project.id, null)).toStrictEqual([root, laterRoot]);
    expect(await store.children(project.id, siblings[0]?.id ?? null)).toStrictEqual([]);
  });

  rule('ST-14', 'nodes are given in the order in which they were asked for', async ({ store }) => {
    const { project } = await seedProject(store);
    const [a, b, c] = await seedChain(store, project, null, ['a', 'b', 'c']);
    if (!a || !b || !c) throw new Error('the chain has three nodes');
    expect(await store.getNodes(project.id, [c.id, a.id, b.id])).toStrictEqual([c, a, b]);
    expect(await store.getNodes(project.id, [])).toStrictEqual([]);
    expect(await store.findNode(b.id)).toStrictEqual(b);
  });

  rule('ST-15', 'a child is found by its match key under its own parent only', async ({ store, reopen }) => {
    const { project } = await seedProject(store);
    const root = buildNode(project, null, 'root', { matchKey: 'same' });
    const first = buildReply(project, root, 'sampled', { matchKey: 'same' });
    const second = buildReply(project, root, 'sampled', { matchKey: 'same' });
    const other = buildReply(project, root, 'other', { matchKey: 'other' });
    await store.appendNodes(project.id, [root, first, second, other]);
    const reopened = await reopen();
    expect(await reopened.findChild(project.id, null, 'same')).toStrictEqual(root);
    // Two samples may be equal: the older one is found.
    expect(await reopened.findChild(project.id, root.id, 'same')).toStrictEqual(first);
    expect(await reopened.findChild(project.id, root.id, 'other')).toStrictEqual(other);
    expect(await reopened.findChild(project.id, other.id, 'same')).toBeNull();
    expect(await reopened.findChild(project.id, root.id, 'neither')).toBeNull();
  });

  rule('ST-16', 'whether thinking goes into the context can be switched, and nothing else changes', async (subject) => {
    const { project } = await seedProject(subject.store);
    const [user, reply] = await seedChain(subject.store, project, null, ['ask', 'answer']);
    if (!user || !reply) throw new Error('the chain has two nodes');
    const switched = { ...reply, includeThinkingInContext: true };
    expect(await subject.store.setIncludeThinking(project.id, reply.id, true)).toStrictEqual(switched);
    const store = await subject.reopen();
    expect(await store.path(project.id, reply.id)).toStrictEqual([user, switched]);
    expect(await store.setIncludeThinking(project.id, reply.id, false)).toStrictEqual(reply);
    expect(await store.findNode(reply.id)).toStrictEqual(reply);
  });

  rule('ST-53', 'text and match key can be stored anew where a back end offers it; blocks stay', async (subject) => {
    const { store } = subject;
    expect(['undefined', 'function']).toContain(typeof store.rewriteDerived);
    if (!store.rewriteDerived) return;
    const { project } = await seedProject(store);
    const root = buildNode(project, null, 'root');
    const child = buildReply(project, root, 'child');
    await store.appendNodes(project.id, [root, child]);
    const mended = { ...child, content: 'mended', matchKey: 'mended key' };
    const wrong = { ...root, id: NOWHERE.node };
    await expect(store.rewriteDerived(project.id, [mended, wrong])).rejects.toBeInstanceOf(UnknownIdError);
    expect(await store.findNode(child.id)).toStrictEqual(child);
    await store.rewriteDerived(project.id, [mended]);
    expect((await store.findChild(project.id, root.id, 'mended key'))?.id).toBe(child.id);
    const reopened = await subject.reopen();
    expect(await reopened.path(project.id, child.id)).toStrictEqual([root, mended]);
    expect(await reopened.findChild(project.id, root.id, child.matchKey)).toBeNull();
  });
}
