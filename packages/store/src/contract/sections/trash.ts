import type { NodeId, Project } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import type { Store } from '../../store.ts';
import type { TrashTicket } from '../../trash.ts';
import {
  beginTurn,
  buildBranch,
  buildNode,
  buildProject,
  buildReply,
  freshId,
  idsOf,
  LONG_LEASE,
  seedProject,
  seedTurn,
  searchIn,
} from '../build.ts';
import type { Rule } from '../harness.ts';
import { snapshotProject } from '../snapshot.ts';

const ticket = (deletedAt = '2026-03-01T12:00:00.000Z'): TrashTicket => ({ id: freshId('trash'), deletedAt });

/** A project with a trunk of three turns, a branch from its middle and one that ends inside it. */
async function seedTree(store: Store) {
  const { project, branch } = await seedProject(store);
  const first = await seedTurn(store, project, branch, null);
  const second = await seedTurn(store, project, branch, first.reply.id);
  const third = await seedTurn(store, project, branch, second.reply.id);
  const side = buildBranch(project, { name: 'side', tipId: second.reply.id, forkedFromId: second.user.id });
  await store.createBranch(side);
  const onSide = await seedTurn(store, project, side, second.reply.id);
  const loose = buildReply(project, second.user, 'a reply that no branch ends on');
  await store.appendNodes(project.id, [loose, buildNode(project, first.reply, 'and its sibling')]);
  return { project, branch, side, first, second, third, onSide, loose };
}

/** Everything that can be asked about a project; the order of siblings included. */
async function lookAt(store: Store, project: Project) {
  const { nodes } = await store.graph(project.id);
  const parents: (NodeId | null)[] = [null, ...nodes.map(({ id }) => id)];
  const children = await Promise.all(parents.map((id) => store.children(project.id, id)));
  return {
    snapshot: await snapshotProject(store, project.id),
    order: idsOf(nodes),
    children: children.map(idsOf),
    branches: await store.listBranches(project.id),
    found: await searchIn(store, project, 'e'),
    statistics: await store.statistics(project.id),
  };
}

export function trash(rule: Rule): void {
  for (const mode of ['cascade', 'reparent'] as const) {
    rule('ST-80', `a node deleted by ${mode} is restored exactly`, async ({ store, reopen }) => {
      const { project, second } = await seedTree(store);
      const before = await lookAt(store, project);
      for (const doomed of [second.user.id, second.reply.id]) {
        const { id, deletedAt } = ticket();
        const { removed } = await store.deleteNode(project.id, doomed, mode, { id, deletedAt });
        const reopened = await reopen();
        const lying = await lookAt(reopened, project);
        for (const gone of removed) expect(JSON.stringify(lying)).not.toContain(gone);
        await expect(reopened.findNode(doomed)).rejects.toBeInstanceOf(UnknownIdError);
        const [entry] = await reopened.listTrash({ id });
        expect(entry).toMatchObject({ id, deletedAt, kind: 'node', projectId: project.id, messages: removed.length });
        expect(await reopened.restoreTrash(id)).toStrictEqual(entry);
        expect(await lookAt(reopened, project)).toStrictEqual(before);
        store = await reopen();
        expect(await lookAt(store, project)).toStrictEqual(before);
        expect(await store.listTrash({ id })).toStrictEqual([]);
        await expect(store.restoreTrash(id)).rejects.toBeInstanceOf(UnknownIdError);
      }
    });

    rule('ST-80', `a turn deleted by ${mode} is restored exactly`, async ({ store, reopen }) => {
      const { project, first, second, third } = await seedTree(store);
      const before = await lookAt(store, project);
      for (const { turn } of [first, second, third]) {
        const { id, deletedAt } = ticket();
        await store.deleteTurn(project.id, turn.id, mode, { id, deletedAt });
        await expect(store.getTurn(project.id, turn.id)).rejects.toBeInstanceOf(UnknownIdError);
        store = await reopen();
        expect(await store.listTrash({ id })).toMatchObject([{ kind: 'turn', projectId: project.id }]);
        await store.restoreTrash(id);
        expect(await lookAt(store, project)).toStrictEqual(before);
      }
      store = await reopen();
      expect(await lookAt(store, project)).toStrictEqual(before);
      expect(await store.getRaw(project.id, second.reply.id)).toStrictEqual(second.raw);
    });
  }

  rule('ST-80', 'deletions that are undone in reverse order leave no trace', async ({ store, reopen }) => {
    const { project, first, second, third, side } = await seedTree(store);
    const before = await lookAt(store, project);
    const tickets = [ticket(), ticket(), ticket(), ticket()] as const;
    await store.deleteNode(project.id, second.user.id, 'reparent', tickets[0]);
    await store.deleteNode(project.id, third.user.id, 'cascade', tickets[1]);
    await store.deleteBranch(project.id, side.id, tickets[2]);
    await store.deleteTurn(project.id, first.turn.id, 'cascade', tickets[3]);
    const reopened = await reopen();
    for (const { id } of tickets.toReversed()) await reopened.restoreTrash(id);
    expect(await lookAt(reopened, project)).toStrictEqual(before);
  });

  rule('ST-80', 'what was restored can be continued, and deleted again', async ({ store, reopen }) => {
    const { project, branch, second, third } = await seedTree(store);
    const again = ticket();
    await store.deleteNode(project.id, second.user.id, 'cascade', again);
    await store.restoreTrash(again.id);
    const fourth = await seedTurn(store, project, branch, third.reply.id);
    const reopened = await reopen();
    const path = await reopened.path(project.id, fourth.reply.id);
    expect(idsOf(path).slice(-4)).toStrictEqual(idsOf([third.user, third.reply, fourth.user, fourth.reply]));
    const { removed } = await reopened.deleteNode(project.id, second.user.id, 'cascade', again);
    expect(removed).toContain(fourth.reply.id);
    await reopened.purgeTrash({ id: again.id });
  });

  rule('ST-81', 'an entry says what was deleted, when, and which tips moved where', async ({ store }) => {
    const { project, branch, side, first, second, third, onSide } = await seedTree(store);
    const { id, deletedAt } = ticket('2026-04-05T06:07:08.009Z');
    const { removed } = await store.deleteNode(project.id, second.user.id, 'cascade', { id, deletedAt });
    expect(await store.listTrash({ id })).toStrictEqual([
      {
        id,
        deletedAt,
        kind: 'node',
        projectId: project.id,
        projectName: project.name,
        title: second.user.content,
        messages: removed.length,
        branches: [
          { id: branch.id, name: branch.name, from: third.reply.id, to: first.reply.id },
          { id: side.id, name: 'side', from: onSide.reply.id, to: first.reply.id },
        ],
      },
    ]);
  });

  rule('ST-81', 'entries come newest first, of one project or of all', async ({ store }) => {
    const { project, side, third } = await seedTree(store);
    const { project: other } = await seedProject(store);
    const [old, young, elsewhere] = [
      ticket('2026-01-01T00:00:00.000Z'),
      ticket('2026-02-01T00:00:00.000Z'),
      ticket('2026-01-15T00:00:00.000Z'),
    ];
    await store.deleteBranch(project.id, side.id, young);
    await store.deleteNode(project.id, third.reply.id, 'cascade', old);
    await store.deleteProject(other.id, elsewhere);
    expect(idsOf(await store.listTrash({ projectId: project.id }))).toStrictEqual([young.id, old.id]);
    const all = idsOf(await store.listTrash({})).filter((id) => idsOf([old, young, elsewhere]).includes(id));
    expect(all).toStrictEqual([young.id, elsewhere.id, old.id]);
  });

  rule('ST-82', 'a deleted branch comes back with its lock, its tip and its place', async ({ store, reopen }) => {
    const { project, side, branch } = await seedTree(store);
    await store.createBranch(buildBranch(project, { name: 'last' }));
    const before = await lookAt(store, project);
    for (const { id: doomed, name } of [side, branch]) {
      const { id, deletedAt } = ticket();
      await store.deleteBranch(project.id, doomed, { id, deletedAt });
      await expect(store.getBranch(project.id, doomed)).rejects.toBeInstanceOf(UnknownIdError);
      store = await reopen();
      expect(await store.listTrash({ id })).toMatchObject([{ kind: 'branch', title: name, messages: 0 }]);
      await store.restoreTrash(id);
      expect(await lookAt(store, project)).toStrictEqual(before);
    }
  });

  rule('ST-82', 'a branch whose name was taken meanwhile gets a free one', async ({ store, reopen }) => {
    const { project, side } = await seedTree(store);
    const { id, deletedAt } = ticket();
    const stored = await store.getBranch(project.id, side.id);
    await store.deleteBranch(project.id, side.id, { id, deletedAt });
    await store.createBranch(buildBranch(project, { name: 'side' }));
    await store.restoreTrash(id);
    const reopened = await reopen();
    expect(await reopened.getBranch(project.id, side.id)).toStrictEqual({ ...stored, name: 'side 2' });
  });

  rule('ST-82', 'a branch whose id was taken, or whose tip is gone, is not restored', async ({ store }) => {
    const { project, side, onSide } = await seedTree(store);
    const first = ticket();
    await store.deleteBranch(project.id, side.id, first);
    await store.createBranch(buildBranch(project, { id: side.id, name: 'another' }));
    await expect(store.restoreTrash(first.id)).rejects.toMatchObject({ code: 'id_taken', conflicting: side.id });
    await store.deleteBranch(project.id, side.id);
    await store.deleteNode(project.id, onSide.user.id, 'cascade');
    const before = await lookAt(store, project);
    await expect(store.restoreTrash(first.id)).rejects.toMatchObject({ code: 'parent_gone' });
    expect(await lookAt(store, project)).toStrictEqual(before);
    expect(idsOf(await store.listTrash({ id: first.id }))).toStrictEqual([first.id]);
  });

  rule('ST-83', 'a deleted project comes back whole, in its place', async ({ store, reopen }) => {
    const { project, branch, third } = await seedTree(store);
    await store.createProject(buildProject());
    await beginTurn(store, project, branch, third.reply.id);
    const before = await lookAt(store, project);
    const listed = await store.listProjects();
    const { id, deletedAt } = ticket();
    await store.deleteProject(project.id, { id, deletedAt });
    await expect(store.getProject(project.id)).rejects.toBeInstanceOf(UnknownIdError);
    await expect(store.findNode(third.reply.id)).rejects.toBeInstanceOf(UnknownIdError);
    const reopened = await reopen();
    expect((await reopened.listProjects()).map((one) => one.id)).not.toContain(project.id);
    const messages = before.order.length;
    expect(await reopened.listTrash({ id })).toMatchObject([{ kind: 'project', title: project.name, messages }]);
    await reopened.restoreTrash(id);
    expect(await lookAt(reopened, project)).toStrictEqual(before);
    expect(await reopened.listProjects()).toStrictEqual(listed);
    const again = await reopen();
    expect(await lookAt(again, project)).toStrictEqual(before);
    expect(await again.listProjects()).toStrictEqual(listed);
  });

  rule('ST-83', 'a project whose id was taken stays in the trash', async ({ store, reopen }) => {
    const { project } = await seedTree(store);
    const { id, deletedAt } = ticket();
    await store.deleteProject(project.id, { id, deletedAt });
    const successor = buildProject({ id: project.id, name: 'successor' });
    await store.createProject(successor);
    await expect(store.restoreTrash(id)).rejects.toMatchObject({ code: 'id_taken', conflicting: project.id });
    const reopened = await reopen();
    expect(await reopened.getProject(project.id)).toStrictEqual(successor);
    expect(idsOf(await reopened.listTrash({ id }))).toStrictEqual([id]);
  });

  rule('ST-84', 'a tip that has moved since stays; the messages come back beside it', async ({ store, reopen }) => {
    const { project, branch, first, second, third } = await seedTree(store);
    const { id, deletedAt } = ticket();
    await store.deleteNode(project.id, second.user.id, 'cascade', { id, deletedAt });
    const newer = await seedTurn(store, project, branch, first.reply.id);
    await store.restoreTrash(id);
    const reopened = await reopen();
    expect((await reopened.getBranch(project.id, branch.id)).tipId).toBe(newer.reply.id);
    expect(idsOf(await reopened.path(project.id, third.reply.id)).slice(-2)).toStrictEqual(
      idsOf([third.user, third.reply]),
    );
    expect(idsOf(await reopened.children(project.id, first.reply.id))).toContain(newer.user.id);
    expect((await reopened.getBranch(project.id, 'side')).tipId).not.toBe(first.reply.id);
  });

  rule('ST-84', 'a branch on which a turn runs keeps its tip', async ({ store }) => {
    const { project, branch, second, third } = await seedTree(store);
    const { id, deletedAt } = ticket();
    await store.deleteNode(project.id, third.user.id, 'cascade', { id, deletedAt });
    const { turn } = await store.beginTurn({
      turn: { ...third.turn, id: freshId('turn') as typeof third.turn.id, status: 'running' },
      owner: 'owner-1',
      leaseMs: LONG_LEASE,
      nodes: [],
    });
    await store.restoreTrash(id);
    expect((await store.getBranch(project.id, branch.id)).tipId).toBe(second.reply.id);
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [],
      calls: [],
      renderings: [],
      status: 'interrupted',
    });
  });

  rule('ST-84', 'nodes are not restored below a parent that is gone, nor into a project that is', async ({ store }) => {
    const { project, second, third } = await seedTree(store);
    const [below, above, all] = [ticket(), ticket(), ticket()];
    await store.deleteNode(project.id, third.user.id, 'cascade', below);
    await store.deleteNode(project.id, second.user.id, 'cascade', above);
    const before = await lookAt(store, project);
    await expect(store.restoreTrash(below.id)).rejects.toMatchObject({
      code: 'parent_gone',
      conflicting: second.reply.id,
    });
    expect(await lookAt(store, project)).toStrictEqual(before);
    await store.deleteProject(project.id, all);
    await expect(store.restoreTrash(above.id)).rejects.toMatchObject({
      code: 'parent_gone',
      conflicting: project.id,
    });
    for (const { id } of [all, above, below]) await store.restoreTrash(id);
    expect(idsOf(await store.path(project.id, third.reply.id))).toContain(second.user.id);
  });

  rule('ST-84', 'a node whose id was taken stays in the trash', async ({ store }) => {
    const { project, third } = await seedTree(store);
    const { id, deletedAt } = ticket();
    await store.deleteNode(project.id, third.reply.id, 'cascade', { id, deletedAt });
    await store.appendNodes(project.id, [{ ...third.reply, turnId: null, content: 'x', contentBlocks: [] }]);
    await expect(store.restoreTrash(id)).rejects.toMatchObject({ code: 'id_taken', conflicting: third.reply.id });
    expect(idsOf(await store.listTrash({ id }))).toStrictEqual([id]);
  });

  rule('ST-85', 'the trash is purged by id, by age and by project', async ({ store, reopen }) => {
    const { project, side, first, second, third } = await seedTree(store);
    const at = (day: string): TrashTicket => ticket(`2026-01-${day}T00:00:00.000Z`);
    const [one, two, three, four] = [at('01'), at('02'), at('03'), at('04')];
    await store.deleteNode(project.id, third.user.id, 'cascade', one);
    await store.deleteNode(project.id, second.reply.id, 'reparent', two);
    await store.deleteBranch(project.id, side.id, three);
    await store.deleteTurn(project.id, first.turn.id, 'reparent', four);
    const { projectId } = { projectId: project.id };
    expect(idsOf(await store.purgeTrash({ projectId, deletedBefore: two.deletedAt }))).toStrictEqual([one.id]);
    expect(idsOf(await store.purgeTrash({ id: three.id }))).toStrictEqual([three.id]);
    await expect(store.purgeTrash({ id: three.id })).rejects.toBeInstanceOf(UnknownIdError);
    const reopened = await reopen();
    expect(idsOf(await reopened.listTrash({ projectId }))).toStrictEqual([four.id, two.id]);
    await expect(reopened.restoreTrash(one.id)).rejects.toBeInstanceOf(UnknownIdError);
    expect(idsOf(await reopened.purgeTrash({ projectId }))).toStrictEqual([four.id, two.id]);
    expect(await reopened.listTrash({ projectId })).toStrictEqual([]);
    expect(await reopened.purgeTrash({ projectId })).toStrictEqual([]);
    const lost = ticket();
    await reopened.deleteProject(project.id, lost);
    expect(idsOf(await reopened.purgeTrash({ id: lost.id }))).toStrictEqual([lost.id]);
    await expect(reopened.restoreTrash(lost.id)).rejects.toBeInstanceOf(UnknownIdError);
  });

  rule('ST-85', 'two that empty it at once do not disturb each other', async ({ store }) => {
    const { project, side, second } = await seedTree(store);
    const { id: projectId } = project;
    await store.deleteBranch(projectId, side.id, ticket());
    await store.deleteNode(projectId, second.reply.id, 'reparent', ticket());
    await store.deleteProject(projectId, ticket());
    await Promise.all([1, 2, 3, 4].map(() => store.purgeTrash({ projectId })));
    expect(await store.listTrash({ projectId })).toStrictEqual([]);
  });

  rule('ST-85', 'a deletion without a ticket, and one that fails, leave nothing in the trash', async ({ store }) => {
    const { project, branch, side, third } = await seedTree(store);
    await store.deleteNode(project.id, third.reply.id, 'cascade');
    await store.deleteBranch(project.id, side.id);
    await beginTurn(store, project, branch, third.user.id);
    await expect(store.deleteNode(project.id, third.user.id, 'cascade', ticket())).rejects.toMatchObject({
      code: 'turn_running',
    });
    await expect(store.deleteBranch(project.id, branch.id, ticket())).rejects.toMatchObject({ code: 'turn_running' });
    expect(await store.listTrash({ projectId: project.id })).toStrictEqual([]);
  });

  rule('ST-86', 'the trash is not part of an export', async ({ store, another }) => {
    const { project, second } = await seedTree(store);
    await store.deleteNode(project.id, second.user.id, 'cascade', ticket());
    const target = await another();
    await target.importProject(store.exportProject(project.id));
    expect(await target.listTrash({})).toStrictEqual([]);
  });
}
