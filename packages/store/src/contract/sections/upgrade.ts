import { turnId, UnknownIdError } from '@bough/core';
import { expect } from 'vitest';
import { buildNode, buildReply, NOWHERE, seedProject, seedTurn } from '../build.ts';
import type { Rule } from '../harness.ts';
import { snapshotProject } from '../snapshot.ts';

export function upgrade(rule: Rule): void {
  rule('ST-71', 'nodes without a turn get one, once; a dry run changes nothing', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user, reply } = await seedTurn(store, project, branch, null);
    const question = buildNode(project, reply, 'and then?');
    const answer = buildReply(project, question, 'this');
    const second = buildNode(project, answer, 'and now?');
    const failed = buildReply(project, second, 'overloaded', { isError: true });
    await store.appendNodes(project.id, [question, answer, second, failed]);

    const before = await snapshotProject(store, project.id);
    const expected = { messages: [], turns: 2, nodes: 4 };
    expect(await store.upgradeProject(project.id, { dryRun: true })).toStrictEqual(expected);
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
    expect(await store.upgradeProject(project.id, { dryRun: false })).toStrictEqual(expected);

    const check = async (opened: typeof store): Promise<void> => {
      const path = await opened.path(project.id, failed.id);
      const [first, other] = [turnId(`backfilled-${question.id}`), turnId(`backfilled-${second.id}`)];
      expect(path).toStrictEqual([
        user,
        reply,
        { ...question, turnId: first },
        { ...answer, turnId: first },
        { ...second, turnId: other },
        { ...failed, turnId: other },
      ]);
      expect(await opened.getTurn(project.id, turn.id)).toStrictEqual({ ...turn, status: 'complete' });
      expect(await opened.getTurn(project.id, first)).toMatchObject({ status: 'complete', projectId: project.id });
      expect((await opened.getTurn(project.id, other)).status).toBe('error');
      expect(await opened.nodesOfTurn(project.id, first)).toHaveLength(2);
      expect(await opened.callsOfTurn(project.id, first)).toStrictEqual([]);
    };
    await check(store);
    const reopened = await reopen();
    await check(reopened);
    const after = await snapshotProject(reopened, project.id);
    expect(await reopened.upgradeProject(project.id, { dryRun: false })).toStrictEqual({
      messages: [],
      turns: 0,
      nodes: 0,
    });
    expect(await snapshotProject(reopened, project.id)).toStrictEqual(after);
  });

  rule('ST-71', 'such a turn is a turn like any other: it can be deleted, and others come after it', async (stage) => {
    const { store, reopen } = stage;
    const { project, branch } = await seedProject(store);
    const question = buildNode(project, null, 'first');
    const answer = buildReply(project, question, 'answer');
    await store.appendNodes(project.id, [question, answer], { branchId: branch.id, expected: null, next: answer.id });
    await store.upgradeProject(project.id, { dryRun: false });
    const next = await seedTurn(store, project, { ...branch, tipId: answer.id }, answer.id);
    const gone = turnId(`backfilled-${question.id}`);
    await store.deleteTurn(project.id, gone, 'reparent');
    const reopened = await reopen();
    expect((await reopened.path(project.id, next.reply.id)).map(({ id }) => id)).toStrictEqual([
      next.user.id,
      next.reply.id,
    ]);
    const records = JSON.stringify((await snapshotProject(reopened, project.id)).records);
    for (const id of [gone, question.id, answer.id]) expect(records).not.toContain(id);
  });

  rule('ST-71', 'a project that does not exist is an error', async ({ store }) => {
    await expect(store.upgradeProject(NOWHERE.project, { dryRun: true })).rejects.toBeInstanceOf(UnknownIdError);
  });
}
