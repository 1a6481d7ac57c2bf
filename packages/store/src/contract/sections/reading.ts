import type { CachedTurn, MergeBlock, TreeNode } from '@bough/core';
import { marksOf } from '@bough/core';
import { expect } from 'vitest';
import type { GraphNode } from '../../store.ts';
import {
  buildBranch,
  buildNode,
  buildReply,
  buildTurn,
  idsOf,
  LONG_LEASE,
  NOWHERE,
  seedProject,
  seedTurn,
} from '../build.ts';
import type { Rule } from '../harness.ts';

const graphNodeOf = (node: TreeNode): GraphNode => ({
  id: node.id,
  parentId: node.parentId,
  turnId: node.turnId,
  role: node.role,
  createdOnBranch: node.createdOnBranch,
  isError: node.isError,
  interrupted: node.interrupted,
  modelUsed: node.modelUsed,
  createdAt: node.createdAt,
});

export function reading(rule: Rule): void {
  rule(
    'ST-21',
    'history gives whole turns, the newest, oldest first, with their turns and calls',
    async ({ store }) => {
      const { project, branch } = await seedProject(store);
      const first = await seedTurn(store, project, branch, null);
      const second = await seedTurn(store, project, branch, first.reply.id);
      const third = await seedTurn(store, project, branch, second.reply.id);

      const newest = await store.history(project.id, { tip: third.reply.id, limit: 2 });
      expect(newest).toStrictEqual({
        nodes: [second.user, second.reply, third.user, third.reply],
        turns: [second.turn, third.turn],
        calls: [second.call, third.call],
        siblings: {},
        hasMore: true,
        hasNewer: false,
      });
      const rest = await store.history(project.id, { tip: third.reply.id, before: second.user.id, limit: 2 });
      expect(rest).toStrictEqual({
        nodes: [first.user, first.reply],
        turns: [first.turn],
        calls: [first.call],
        siblings: {},
        hasMore: false,
        hasNewer: true,
      });
      const nothing = await store.history(project.id, { tip: third.reply.id, before: first.user.id, limit: 2 });
      expect(nothing).toStrictEqual({ nodes: [], turns: [], calls: [], siblings: {}, hasMore: false, hasNewer: true });
    },
  );

  rule('ST-21', 'paging backwards meets every node of the path once', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const path: TreeNode[] = [];
    for (let index = 0; index < 7; index += 1) {
      const { user, reply } = await seedTurn(store, project, branch, path.at(-1)?.id ?? null);
      path.push(user, reply);
    }
    const tip = path.at(-1)?.id ?? NOWHERE.node;
    let seen: TreeNode[] = [];
    for (let more = true; more;) {
      const oldest = seen[0];
      const query = oldest ? { tip, before: oldest.id, limit: 3 } : { tip, limit: 3 };
      const page = await store.history(project.id, query);
      seen = [...page.nodes, ...seen];
      more = page.hasMore;
    }
    expect(seen).toStrictEqual(path);
  });

  rule(
    'ST-21',
    'a turn with tools is never cut, and a regenerated reply comes with its question',
    async ({ store }) => {
      const { project, branch } = await seedProject(store);
      const system = buildNode(project, null, 'system', { role: 'system' });
      await store.appendNodes(project.id, [system], { branchId: branch.id, expected: null, next: system.id });
      const { turn, user, reply } = await seedTurn(store, project, branch, system.id);
      const tool = buildNode(project, reply, 'result', { role: 'tool', toolCallId: 'c', turnId: turn.id });
      const end = buildReply(project, tool, 'end', { turnId: turn.id });
      // A regeneration is a turn of its own, without a question of its own.
      const next = buildTurn(project, branch);
      await store.beginTurn({ turn: next, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [] });
      const regenerated = buildReply(project, user, 'another', { turnId: next.id });
      await store.appendNodes(project.id, [tool, end, regenerated]);

      const whole = await store.history(project.id, { tip: end.id, limit: 1 });
      expect(idsOf(whole.nodes)).toStrictEqual(idsOf([user, reply, tool, end]));
      expect(whole.hasMore).toBe(true);
      const again = await store.history(project.id, { tip: regenerated.id, limit: 1 });
      expect(idsOf(again.nodes)).toStrictEqual(idsOf([user, regenerated]));
      expect(idsOf(again.turns)).toStrictEqual([turn.id, next.id]);
      const before = await store.history(project.id, { tip: end.id, before: user.id, limit: 1 });
      expect(before.nodes).toStrictEqual([system]);
      expect(before.hasMore).toBe(false);
    },
  );

  rule('ST-21', 'nodes without a turn are paged by their user messages', async ({ store }) => {
    const { project } = await seedProject(store);
    const a = buildNode(project, null, 'a');
    const b = buildReply(project, a, 'b');
    const c = buildNode(project, b, 'c');
    const d = buildReply(project, c, 'd');
    await store.appendNodes(project.id, [a, b, c, d]);
    const page = await store.history(project.id, { tip: d.id, limit: 1 });
    expect(page).toStrictEqual({ nodes: [c, d], turns: [], calls: [], siblings: {}, hasMore: true, hasNewer: false });
  });

  rule('ST-21', 'two user nodes of one turn stay together', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await seedTurn(store, project, branch, null);
    const second = buildNode(project, user, 'and also', { turnId: turn.id });
    await store.appendNodes(project.id, [second]);
    const page = await store.history(project.id, { tip: second.id, limit: 1 });
    expect(idsOf(page.nodes)).toStrictEqual(idsOf([user, second]));
    expect(page.hasMore).toBe(false);
  });

  rule('ST-21', 'a page around a node, and paging on from it both ways, meets every node once', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const system = buildNode(project, null, 'system', { role: 'system' });
    await store.appendNodes(project.id, [system], { branchId: branch.id, expected: null, next: system.id });
    const path: TreeNode[] = [system];
    for (let index = 0; index < 9; index += 1) {
      const { user, reply } = await seedTurn(store, project, branch, path.at(-1)?.id ?? null);
      path.push(user, reply);
    }
    const tip = path.at(-1)?.id ?? NOWHERE.node;
    for (const [at, node] of path.entries()) {
      const middle = await store.history(project.id, { tip, around: node.id, limit: 3 });
      expect(idsOf(middle.nodes)).toContain(node.id);
      expect(middle.nodes.filter(({ role }) => role === 'user').length).toBeLessThanOrEqual(3);
      // The turn before it, its own, the turn after it.
      if (at >= 3 && at < path.length - 2) expect(middle.nodes.filter(({ role }) => role === 'user').length).toBe(3);
      let seen = [...middle.nodes];
      for (let more = middle.hasMore; more;) {
        const page = await store.history(project.id, { tip, before: seen[0]?.id ?? NOWHERE.node, limit: 2 });
        expect(page.hasNewer).toBe(true);
        seen = [...page.nodes, ...seen];
        more = page.hasMore;
      }
      for (let more = middle.hasNewer; more;) {
        const page = await store.history(project.id, { tip, after: seen.at(-1)?.id ?? NOWHERE.node, limit: 2 });
        expect(page.hasMore).toBe(true);
        seen = [...seen, ...page.nodes];
        more = page.hasNewer;
      }
      expect(idsOf(seen)).toStrictEqual(idsOf(path));
    }
    const oldest = await store.history(project.id, { tip, after: null, limit: 2 });
    expect(idsOf(oldest.nodes)).toStrictEqual(idsOf(path.slice(0, 3)));
    expect(oldest).toMatchObject({ hasMore: false, hasNewer: true });
    const end = await store.history(project.id, { tip, after: tip, limit: 2 });
    expect(end).toMatchObject({ nodes: [], hasNewer: false });
  });

  rule('ST-21', 'a page around a node of a turn with tools holds the whole turn', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user, reply } = await seedTurn(store, project, branch, null);
    const tool = buildNode(project, reply, 'result', { role: 'tool', toolCallId: 'c', turnId: turn.id });
    const end = buildReply(project, tool, 'end', { turnId: turn.id });
    const next = buildNode(project, end, 'next');
    await store.appendNodes(project.id, [tool, end, next]);
    for (const node of [user, reply, tool, end]) {
      const page = await store.history(project.id, { tip: next.id, around: node.id, limit: 1 });
      expect(idsOf(page.nodes)).toStrictEqual(idsOf([user, reply, tool, end]));
      expect(page).toMatchObject({ hasMore: false, hasNewer: true });
    }
  });

  rule('ST-22', 'a page names the siblings of its nodes in order of creation, itself included', async ({ store }) => {
    const { project } = await seedProject(store);
    const root = buildNode(project, null, 'root');
    const otherRoot = buildNode(project, null, 'other root');
    const replies = ['one', 'two', 'three'].map((text) => buildReply(project, root, text));
    const below = buildNode(project, replies[1] ?? null, 'below');
    await store.appendNodes(project.id, [root, otherRoot, ...replies, below]);
    const page = await store.history(project.id, { tip: below.id, limit: 10 });
    expect(page.siblings).toStrictEqual({
      [root.id]: [root.id, otherRoot.id],
      [replies[1]?.id ?? '']: idsOf(replies),
    });
  });

  rule('ST-24', 'the graph is the topology in order of creation, without content', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { user, reply } = await seedTurn(store, project, branch, null);
    const broken = buildReply(project, user, 'broken', { isError: true, interrupted: true });
    const block: MergeBlock = {
      type: 'merge',
      branchId: branch.id,
      branchName: branch.name,
      after: user.id,
      upTo: reply.id,
      by: 'answer',
      nodeIds: [reply.id],
    };
    const text = 'Brought, \u0000 and „all“ 😀.';
    const merge = buildNode(project, broken, text, { contentBlocks: [block, { type: 'text', text }] });
    await store.appendNodes(project.id, [broken, merge]);
    const fork = buildBranch(project, { tipId: merge.id, forkedFromId: user.id });
    await store.createBranch(fork);
    const reopened = await reopen();
    expect(await reopened.graph(project.id)).toStrictEqual({
      nodes: [...[user, reply, broken].map(graphNodeOf), { ...graphNodeOf(merge), mergedUpTo: reply.id }],
      branches: [{ ...branch, tipId: reply.id }, fork],
    });
  });

  rule('ST-26', 'a context is the path with its raws and the renderings of a prefix of keys', async (subject) => {
    const { project, branch } = await seedProject(subject.store);
    const first = await seedTurn(subject.store, project, branch, null);
    const second = await seedTurn(subject.store, project, branch, first.reply.id);
    const bare = buildReply(project, first.user, 'without raw');
    await subject.store.appendNodes(project.id, [bare]);
    const store = await subject.reopen();
    const context = await store.readContext(project.id, second.reply.id, 'wi');
    expect(context.nodes).toStrictEqual([first.user, first.reply, second.user, second.reply]);
    expect(context.raws).toStrictEqual(
      new Map([
        [first.reply.id, first.raw],
        [second.reply.id, second.raw],
      ]),
    );
    expect(context.renderings).toStrictEqual(
      new Map([
        [first.user.id, new Map([['wire', `{"role":"user","of":"${first.turn.id}"}`]])],
        [second.user.id, new Map([['wire', `{"role":"user","of":"${second.turn.id}"}`]])],
      ]),
    );
    const side = await store.readContext(project.id, bare.id, 'another key');
    expect(idsOf(side.nodes)).toStrictEqual(idsOf([first.user, bare]));
    expect(side.raws.size).toBe(0);
    expect(side.renderings.size).toBe(0);
  });

  rule('ST-61', 'of a path up to its newest cached turn only marks are read', async (subject) => {
    const { store } = subject;
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const second = await seedTurn(store, project, branch, first.reply.id, [cachedTurn(first.reply, 'one')]);
    const third = await seedTurn(store, project, branch, second.reply.id, [
      cachedTurn(second.reply, 'two', 'slot', '{"märks":"\\u0000"}\n{}'),
      cachedTurn(first.reply, 'one', 'another slot'),
    ]);
    const path = [first.user, first.reply, second.user, second.reply, third.user, third.reply];
    const read = (slot: string, from = store) => from.readContext(project.id, third.reply.id, 'wire', slot);
    const whole = await store.readContext(project.id, third.reply.id, 'wire');
    expect([whole.nodes, whole.cachedTurns]).toStrictEqual([path, []]);
    for (const open of [() => Promise.resolve(store), subject.reopen]) {
      const from = await open();
      const { marks, nodes, cachedTurns, raws, renderings } = await read('slot', from);
      expect(marks).toBe(marksOf(path));
      expect(nodes).toStrictEqual([third.user, third.reply]);
      expect(cachedTurns.map(told)).toStrictEqual([
        told(cachedTurn(first.reply, 'one')),
        told(cachedTurn(second.reply, 'two', 'slot', '{"märks":"\\u0000"}\n{}')),
      ]);
      expect([...raws.keys(), ...renderings.keys()]).toStrictEqual([third.reply.id, third.user.id]);
      expect((await read('another slot', from)).nodes).toStrictEqual(path.slice(2));
      expect((await read('no slot', from)).nodes).toStrictEqual(path);
      // Something must follow a turn that is not read.
      expect((await from.readContext(project.id, second.reply.id, 'wire', 'slot')).nodes).toStrictEqual(
        path.slice(2, 4),
      );
    }
  });

  rule('ST-68', 'a cached turn takes the place of the one before, and goes with its node', async (subject) => {
    const { store } = subject;
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const second = await seedTurn(store, project, branch, first.reply.id, [cachedTurn(first.reply, 'one')]);
    const third = await seedTurn(store, project, branch, second.reply.id, [
      cachedTurn(first.reply, 'another'),
      cachedTurn(second.reply, 'two'),
    ]);
    const read = async () =>
      (await store.readContext(project.id, third.reply.id, 'wire', 'slot')).cachedTurns.map(told);
    expect(await read()).toStrictEqual([cachedTurn(first.reply, 'another'), cachedTurn(second.reply, 'two')].map(told));
    await store.setIncludeThinking(project.id, first.reply.id, true);
    const { marks } = await store.readContext(project.id, third.reply.id, 'wire', 'slot');
    expect(marks).toContain(marksOf([{ ...first.reply, includeThinkingInContext: true }]));
    await store.deleteNode(project.id, second.reply.id, 'reparent');
    expect(await read()).toStrictEqual([told(cachedTurn(first.reply, 'another'))]);
    await store.deleteProject(project.id);
    await store.createProject(project);
    await store.createBranch(branch);
    await store.appendNodes(
      project.id,
      [first.user, first.reply, second.user].map((node) => ({ ...node, turnId: null })),
    );
    expect((await store.readContext(project.id, second.user.id, 'wire', 'slot')).cachedTurns).toStrictEqual([]);
  });
}

function cachedTurn(last: TreeNode, bytes: string, slot = 'slot', facts = `facts of ${bytes}`): CachedTurn {
  return { nodeId: last.id, slot, key: `key of ${bytes}`, facts, bytes: new TextEncoder().encode(bytes) };
}

/** What the bytes are matters, not what holds them. */
const told = ({ bytes, ...turn }: CachedTurn) => ({ ...turn, bytes: new TextDecoder().decode(bytes) });
