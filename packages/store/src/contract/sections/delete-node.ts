import type { NodeId, TreeNode } from '@bough/core';
import { matchKeyOf, messageOfNode, UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import {
  beginTurn,
  buildBranch,
  buildNode,
  buildReply,
  buildTurn,
  idsOf,
  LONG_LEASE,
  seedChain,
  seedProject,
  seedTurn,
} from '../build.ts';
import type { Rule } from '../harness.ts';
import { snapshotProject } from '../snapshot.ts';

/** A node under another parent: its match key includes the parent, so it is recomputed. */
const moveTo = (node: TreeNode, parentId: NodeId | null): TreeNode => ({
  ...node,
  parentId,
  matchKey: matchKeyOf(parentId, messageOfNode(node)),
});

export function deleteNode(rule: Rule): void {
  rule('ST-17', 'cascade removes the subtree and nothing else', async ({ store, reopen }) => {
    const { project } = await seedProject(store);
    const trunk = await seedChain(store, project, null, ['a', 'b', 'c', 'd']);
    const [, b, c, d] = trunk;
    if (!b || !c || !d) throw new Error('the chain has four nodes');
    const side = await seedChain(store, project, c, ['c1', 'c2']);
    const kept = await seedChain(store, project, b, ['b1']);
    const { removed } = await store.deleteNode(project.id, c.id, 'cascade');
    expect([...removed].sort()).toStrictEqual(idsOf([c, d, ...side]).sort());
    const reopened = await reopen();
    expect(await reopened.children(project.id, b.id)).toStrictEqual(kept);
    expect(await reopened.path(project.id, b.id)).toStrictEqual(trunk.slice(0, 2));
    for (const id of removed) await expect(reopened.findNode(id)).rejects.toBeInstanceOf(UnknownIdError);
  });

  rule('ST-17', 'a branch whose tip or fork point goes points to the parent', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const [a, b, c] = await seedChain(store, project, null, ['a', 'b', 'c']);
    if (!a || !b || !c) throw new Error('the chain has three nodes');
    await store.moveTip(project.id, branch.id, { expected: null, next: c.id });
    const atB = buildBranch(project, { tipId: b.id, forkedFromId: c.id });
    const atA = buildBranch(project, { tipId: a.id, forkedFromId: a.id });
    await store.createBranch(atB);
    await store.createBranch(atA);
    await store.deleteNode(project.id, b.id, 'cascade');
    const reopened = await reopen();
    const after = await reopened.listBranches(project.id);
    expect(after).toStrictEqual([{ ...branch, tipId: a.id }, { ...atB, tipId: a.id, forkedFromId: a.id }, atA]);
    await reopened.deleteNode(project.id, a.id, 'cascade');
    expect((await reopened.listBranches(project.id)).map(({ tipId }) => tipId)).toStrictEqual([null, null, null]);
    expect(await reopened.children(project.id, null)).toStrictEqual([]);
  });

  rule('ST-18', 'reparent removes one node and hands its children to its parent', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const root = buildNode(project, null, 'root');
    const first = buildReply(project, root, 'first');
    const gone = buildReply(project, root, 'gone');
    const last = buildReply(project, root, 'last');
    const left = buildNode(project, gone, 'left');
    const right = buildNode(project, gone, 'right');
    const empty = buildReply(project, gone, '', { contentBlocks: [] });
    const below = buildReply(project, right, 'below');
    await store.appendNodes(project.id, [root, first, gone, left, right, empty, last, below]);
    await store.moveTip(project.id, branch.id, { expected: null, next: gone.id });

    expect(await store.deleteNode(project.id, gone.id, 'reparent')).toStrictEqual({ removed: [gone.id] });
    const moved = [left, right].map((node) => moveTo(node, root.id));
    const children = [first, ...moved, { ...empty, parentId: root.id }, last];
    expect(await store.children(project.id, root.id)).toStrictEqual(children);
    const reopened = await reopen();
    expect(await reopened.children(project.id, root.id)).toStrictEqual(children);
    expect(await reopened.path(project.id, below.id)).toStrictEqual([root, moved[1], below]);
    expect((await reopened.getBranch(project.id, branch.id)).tipId).toBe(root.id);
    await expect(reopened.findNode(gone.id)).rejects.toBeInstanceOf(UnknownIdError);
  });

  rule('ST-18', 'reparent of a root makes its children roots', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const [root, child] = await seedChain(store, project, null, ['root', 'child']);
    if (!root || !child) throw new Error('the chain has two nodes');
    await store.moveTip(project.id, branch.id, { expected: null, next: root.id });
    await store.deleteNode(project.id, root.id, 'reparent');
    expect(await store.children(project.id, null)).toStrictEqual([moveTo(child, null)]);
    expect(await store.getBranch(project.id, branch.id)).toStrictEqual(branch);
  });

  rule('ST-19', 'a subtree in which a turn runs is not deleted', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const [root] = await seedChain(store, project, null, ['root']);
    if (!root) throw new Error('the chain has a node');
    await store.moveTip(project.id, branch.id, { expected: null, next: root.id });
    const { turn, user } = await beginTurn(store, project, branch, root.id);
    const before = await snapshotProject(store, project.id);
    for (const [node, mode] of [
      [root, 'cascade'],
      [user, 'cascade'],
      [user, 'reparent'],
    ] as const) {
      await expect(store.deleteNode(project.id, node.id, mode)).rejects.toMatchObject({
        code: 'turn_running',
        conflicting: turn.id,
      });
    }
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
  });

  rule('ST-19', 'nor is one that holds the tip of a branch on which a turn runs', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { user, reply } = await seedTurn(store, project, branch, null);
    // A regeneration: it has no node yet, but its reply will be added below the question.
    const again = buildTurn(project, branch);
    await store.beginTurn({ turn: again, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [] });
    await expect(store.deleteNode(project.id, user.id, 'cascade')).rejects.toMatchObject({
      code: 'turn_running',
      conflicting: again.id,
    });
    expect(await store.path(project.id, reply.id)).toStrictEqual([user, reply]);
  });

  rule('ST-20', 'what belonged to a removed node goes with it, and no record points to it', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const second = await seedTurn(store, project, branch, first.reply.id);
    const { removed } = await store.deleteNode(project.id, second.user.id, 'cascade');
    expect(removed.length).toBe(2);
    await expect(store.getRaw(project.id, second.reply.id)).rejects.toBeInstanceOf(UnknownIdError);
    const { records } = await snapshotProject(store, project.id);
    expect(JSON.stringify(records)).not.toContain(second.user.id);
    expect(JSON.stringify(records)).not.toContain(second.reply.id);
    expect(JSON.stringify(records)).not.toContain(JSON.stringify(second.raw.payload));
    expect(await store.getRaw(project.id, first.reply.id)).toStrictEqual(first.raw);
  });

  rule('ST-69', 'a turn goes with its last node, and not before', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const second = await seedTurn(store, project, branch, first.reply.id);
    await store.deleteNode(project.id, second.reply.id, 'cascade');
    expect((await store.getTurn(project.id, second.turn.id)).status).toBe('complete');
    await store.deleteNode(project.id, second.user.id, 'reparent');
    const reopened = await reopen();
    await expect(reopened.getTurn(project.id, second.turn.id)).rejects.toBeInstanceOf(UnknownIdError);
    expect((await reopened.getTurn(project.id, first.turn.id)).status).toBe('complete');
    expect(JSON.stringify((await snapshotProject(reopened, project.id)).records)).not.toContain(second.turn.id);
  });

  rule('ST-70', 'a whole turn is deleted at once; what follows is handed to what came before', async (stage) => {
    const { store, reopen } = stage;
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const second = await seedTurn(store, project, branch, first.reply.id);
    const third = await seedTurn(store, project, branch, second.reply.id);
    // Two that point into the turn: a tip at its end, a fork point in its middle.
    const ending = buildBranch(project, { tipId: second.reply.id, forkedFromId: second.user.id });
    await store.createBranch(ending);
    // Another reply to the same message belongs to another turn, and stays.
    const other = buildReply(project, second.user, 'another reply');
    await store.appendNodes(project.id, [other]);
    const { removed } = await store.deleteTurn(project.id, second.turn.id, 'reparent');
    expect([...removed].sort()).toStrictEqual(idsOf([second.user, second.reply]).sort());
    const reopened = await reopen();
    const moved = moveTo(third.user, first.reply.id);
    expect(await reopened.path(project.id, third.reply.id)).toStrictEqual([
      first.user,
      first.reply,
      moved,
      third.reply,
    ]);
    expect(await reopened.children(project.id, first.reply.id)).toStrictEqual([moved, moveTo(other, first.reply.id)]);
    expect((await reopened.getBranch(project.id, branch.id)).tipId).toBe(third.reply.id);
    expect(await reopened.getBranch(project.id, ending.id)).toStrictEqual({
      ...ending,
      tipId: first.reply.id,
      forkedFromId: first.reply.id,
    });
    await expect(reopened.getTurn(project.id, second.turn.id)).rejects.toBeInstanceOf(UnknownIdError);
    await expect(reopened.deleteTurn(project.id, second.turn.id, 'reparent')).rejects.toBeInstanceOf(UnknownIdError);
    expect(await reopened.getRaw(project.id, third.reply.id)).toStrictEqual(third.raw);
    const records = JSON.stringify((await snapshotProject(reopened, project.id)).records);
    for (const gone of [second.turn.id, second.user.id, second.reply.id]) expect(records).not.toContain(gone);
  });

  rule('ST-70', 'the first and the last turn, and with everything below', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const second = await seedTurn(store, project, branch, first.reply.id);
    const third = await seedTurn(store, project, branch, second.reply.id);
    await store.deleteTurn(project.id, first.turn.id, 'reparent');
    expect(await store.children(project.id, null)).toStrictEqual([moveTo(second.user, null)]);
    await store.deleteTurn(project.id, third.turn.id, 'reparent');
    expect((await store.getBranch(project.id, branch.id)).tipId).toBe(second.reply.id);
    const side = await seedChain(store, project, second.reply, ['side']);
    const { removed } = await store.deleteTurn(project.id, second.turn.id, 'cascade');
    expect([...removed].sort()).toStrictEqual(idsOf([second.user, second.reply, ...side]).sort());
    const reopened = await reopen();
    expect(await reopened.getBranch(project.id, branch.id)).toStrictEqual(branch);
    expect((await snapshotProject(reopened, project.id)).records.map(({ type }) => type)).toStrictEqual([
      'project',
      'branch',
    ]);
  });

  rule('ST-70', 'a turn that runs, or with one below it, stays', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const { turn } = await beginTurn(store, project, branch, first.reply.id);
    const before = await snapshotProject(store, project.id);
    for (const doomed of [turn.id, first.turn.id])
      await expect(store.deleteTurn(project.id, doomed, 'reparent')).rejects.toMatchObject({
        code: 'turn_running',
        conflicting: turn.id,
      });
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
  });
}
