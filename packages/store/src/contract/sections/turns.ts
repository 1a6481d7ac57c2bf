import { UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import { ConflictError } from '../../errors.ts';
import {
  beginTurn,
  buildBranch,
  buildNode,
  buildReply,
  buildTurn,
  freshId,
  idsOf,
  LONG_LEASE,
  NOWHERE,
  seedProject,
  seedTurn,
} from '../build.ts';
import type { Rule } from '../harness.ts';

export function turns(rule: Rule): void {
  rule('ST-27', 'a turn is admitted with its user nodes and the tip in one step', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const turn = buildTurn(project, branch, { isThinkingMode: true });
    const one = buildNode(project, null, 'one', { turnId: turn.id, createdOnBranch: branch.id });
    const two = buildNode(project, one, 'two', { turnId: turn.id, createdOnBranch: branch.id });
    const begun = await store.beginTurn({
      turn,
      owner: 'owner-1',
      leaseMs: LONG_LEASE,
      nodes: [one, two],
      tip: { branchId: branch.id, expected: null, next: two.id },
    });
    expect(begun).toStrictEqual({ turn, repeated: false });
    const reopened = await reopen();
    expect(await reopened.getTurn(project.id, turn.id)).toStrictEqual(turn);
    expect(await reopened.path(project.id, two.id)).toStrictEqual([one, two]);
    expect((await reopened.getBranch(project.id, branch.id)).tipId).toBe(two.id);
  });

  rule('ST-67', 'a branch begins with its first turn', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { reply } = await seedTurn(store, project, branch, null);
    const others = await store.listBranches(project.id);
    const fork = buildBranch(project, { tipId: reply.id, forkedFromId: reply.id });
    const turn = buildTurn(project, fork);
    const user = buildNode(project, reply, 'elsewhere', { turnId: turn.id, createdOnBranch: fork.id });
    const tip = { branchId: fork.id, expected: reply.id, next: user.id };
    const begin = { turn, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [user], tip, newBranch: fork };
    expect(await store.beginTurn(begin)).toStrictEqual({ turn, repeated: false });
    const reopened = await reopen();
    expect(await reopened.listBranches(project.id)).toStrictEqual([...others, { ...fork, tipId: user.id }]);
    expect((await reopened.path(project.id, user.id)).at(-1)).toStrictEqual(user);
    expect(await reopened.openTurns(project.id)).toStrictEqual([turn]);
  });

  rule('ST-67', 'a branch begins with a turn that brings no message', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { user } = await seedTurn(store, project, branch, null);
    const fork = buildBranch(project, { tipId: user.id, forkedFromId: user.id });
    const turn = buildTurn(project, fork);
    const tip = { branchId: fork.id, expected: user.id, next: user.id };
    await store.beginTurn({ turn, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [], tip, newBranch: fork });
    const reopened = await reopen();
    expect(await reopened.getBranch(project.id, fork.id)).toStrictEqual(fork);
    expect(await reopened.openTurns(project.id)).toStrictEqual([turn]);
  });

  rule(
    'ST-67',
    'a turn that is not admitted leaves no branch, and a repeated one makes none',
    async ({ store, reopen }) => {
      const { project, branch } = await seedProject(store);
      const { reply } = await seedTurn(store, project, branch, null);
      const branches = await store.listBranches(project.id);
      const clientRequestId = freshId('request');
      const begin = (name?: string, parent: { readonly id: typeof reply.id } = reply) => {
        const fork = buildBranch(project, { tipId: reply.id, forkedFromId: reply.id, ...(name && { name }) });
        const turn = buildTurn(project, fork);
        const user = buildNode(project, parent, 'elsewhere', { turnId: turn.id, createdOnBranch: fork.id });
        const tip = { branchId: fork.id, expected: reply.id, next: user.id };
        return { turn, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [user], tip, newBranch: fork, clientRequestId };
      };
      await expect(store.beginTurn(begin(branch.name))).rejects.toMatchObject({ code: 'name_taken' });
      await expect(store.beginTurn(begin(undefined, { id: NOWHERE.node }))).rejects.toBeInstanceOf(UnknownIdError);
      expect(await store.listBranches(project.id)).toStrictEqual(branches);
      expect(await store.openTurns(project.id)).toStrictEqual([]);
      const first = begin();
      await store.beginTurn(first);
      expect(await store.beginTurn(begin())).toStrictEqual({ turn: first.turn, repeated: true });
      expect((await (await reopen()).listBranches(project.id)).map(({ id }) => id)).toStrictEqual([
        branch.id,
        first.newBranch.id,
      ]);
    },
  );

  rule('ST-5', 'a turn that is not admitted leaves nothing', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const turn = buildTurn(project, branch);
    const user = buildNode(project, null, 'late', { turnId: turn.id });
    const begin = { turn, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [user] };
    await expect(
      store.beginTurn({ ...begin, tip: { branchId: branch.id, expected: null, next: user.id } }),
    ).rejects.toMatchObject({ code: 'tip_moved', conflicting: first.reply.id });
    const orphan = buildNode(project, { id: NOWHERE.node }, 'orphan', { turnId: turn.id });
    await expect(store.beginTurn({ ...begin, nodes: [user, orphan] })).rejects.toBeInstanceOf(UnknownIdError);
    const reopened = await reopen();
    await expect(reopened.getTurn(project.id, turn.id)).rejects.toBeInstanceOf(UnknownIdError);
    await expect(reopened.findNode(user.id)).rejects.toBeInstanceOf(UnknownIdError);
    // Nor a lock: the branch accepts the next turn.
    await seedTurn(reopened, project, branch, first.reply.id);
  });

  rule('ST-7', 'a turn id that is taken is a conflict', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await seedTurn(store, project, branch, null);
    await expect(
      store.beginTurn({ turn: { ...turn, status: 'running' }, owner: 'o', leaseMs: LONG_LEASE, nodes: [] }),
    ).rejects.toMatchObject({ code: 'id_taken' });
    expect(await store.getTurn(project.id, turn.id)).toStrictEqual(turn);
  });

  rule('ST-28', 'one turn runs on a branch; the next one is told which', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const second = buildTurn(project, branch);
    const begin = { turn: second, owner: 'owner-2', leaseMs: LONG_LEASE, nodes: [] };
    await expect(store.beginTurn(begin)).rejects.toBeInstanceOf(ConflictError);
    const reopened = await reopen();
    await expect(reopened.beginTurn(begin)).rejects.toMatchObject({ code: 'turn_running', conflicting: turn.id });
    await expect(reopened.getTurn(project.id, second.id)).rejects.toBeInstanceOf(UnknownIdError);
    // Another branch, and a turn without a branch, are free.
    const fork = buildBranch(project, { tipId: user.id });
    await reopened.createBranch(fork);
    await beginTurn(reopened, project, fork, user.id);
    await reopened.beginTurn({ ...begin, turn: buildTurn(project, null) });
  });

  rule('ST-28', 'a branch is free again when its turn has ended', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [],
      calls: [],
      renderings: [],
      status: 'interrupted',
    });
    const next = await seedTurn(store, project, branch, user.id);
    expect((await store.getBranch(project.id, branch.id)).tipId).toBe(next.reply.id);
  });

  rule('ST-28', 'a turn that waits for an approval still holds its branch', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    await store.releaseTurn(project.id, turn.id, 'owner-1', 'awaiting_approval');
    await expect(
      store.beginTurn({ turn: buildTurn(project, branch), owner: 'o', leaseMs: LONG_LEASE, nodes: [] }),
    ).rejects.toMatchObject({ code: 'turn_running', conflicting: turn.id });
  });

  rule(
    'ST-29',
    'the same client request gives the turn that it gave, and stores nothing',
    async ({ store, reopen }) => {
      const { project, branch } = await seedProject(store);
      const clientRequestId = freshId('request');
      const request = () => {
        const turn = buildTurn(project, branch);
        const user = buildNode(project, null, 'once', { turnId: turn.id });
        const tip = { branchId: branch.id, expected: null, next: user.id };
        return { turn, owner: 'owner-1', leaseMs: LONG_LEASE, clientRequestId, nodes: [user], tip };
      };
      const first = request();
      expect(await store.turnOfRequest(project.id, clientRequestId)).toBeNull();
      expect(await store.beginTurn(first)).toStrictEqual({ turn: first.turn, repeated: false });
      expect(await store.beginTurn(request())).toStrictEqual({ turn: first.turn, repeated: true });
      expect(await store.turnOfRequest(project.id, clientRequestId)).toStrictEqual(first.turn);
      await store.commitTurn({
        projectId: project.id,
        turnId: first.turn.id,
        owner: 'owner-1',
        nodes: [],
        calls: [],
        renderings: [],
        status: 'complete',
      });
      const reopened = await reopen();
      const ended = { ...first.turn, status: 'complete' };
      expect(await reopened.beginTurn(request())).toStrictEqual({ turn: ended, repeated: true });
      expect(await reopened.turnOfRequest(project.id, clientRequestId)).toStrictEqual(ended);
      expect(idsOf(await reopened.children(project.id, null))).toStrictEqual(idsOf(first.nodes));
    },
  );

  rule('ST-52', 'the nodes of a turn come parents first, the open turns by themselves', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const sibling = buildReply(project, first.user, 'another', { turnId: first.turn.id });
    await store.appendNodes(project.id, [sibling]);
    const fork = buildBranch(project, { tipId: first.reply.id });
    await store.createBranch(fork);
    const running = await beginTurn(store, project, branch, first.reply.id);
    const waiting = await beginTurn(store, project, fork, first.reply.id);
    await store.releaseTurn(project.id, waiting.turn.id, 'owner-1', 'awaiting_approval');

    const reopened = await reopen();
    expect(await reopened.nodesOfTurn(project.id, first.turn.id)).toStrictEqual([first.user, first.reply, sibling]);
    expect(await reopened.nodesOfTurn(project.id, running.turn.id)).toStrictEqual([running.user]);
    const open = await reopened.openTurns(project.id);
    expect(open.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))).toStrictEqual([
      running.turn,
      { ...waiting.turn, status: 'awaiting_approval' },
    ]);
  });

  rule('ST-29', 'a client request belongs to its project', async ({ store }) => {
    const clientRequestId = freshId('request');
    for (const { project, branch } of [await seedProject(store), await seedProject(store)]) {
      const turn = buildTurn(project, branch);
      const begin = { turn, owner: 'owner-1', leaseMs: LONG_LEASE, clientRequestId, nodes: [] };
      expect(await store.turnOfRequest(project.id, clientRequestId)).toBeNull();
      expect(await store.beginTurn(begin)).toStrictEqual({ turn, repeated: false });
    }
  });
}
