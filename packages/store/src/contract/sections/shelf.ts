import { expect } from 'vitest';
import { verifyStore } from '../../verify/index.ts';
import type { Rule } from '../harness.ts';
import { buildCall, buildTurn, freshId, seedProject, seedTurn } from '../build.ts';

/** Tests share a store: each has documents of its own. */
const freshName = (): string => `d${freshId('document').replaceAll(/[^a-z0-9]/g, '')}`;

export function shelf(rule: Rule): void {
  rule('ST-98', 'a call beside the conversation has a turn without messages, and says what it is', async (subject) => {
    const { store, reopen, another } = subject;
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const turn = buildTurn(project, null, { status: 'running' });
    const begin = { turn, owner: 'owner-1', leaseMs: 60_000, clientRequestId: 'the title', nodes: [] };
    expect(await store.beginTurn(begin)).toStrictEqual({ turn, repeated: false });
    const again = { ...begin, turn: buildTurn(project, null, { status: 'running' }) };
    expect(await store.beginTurn(again)).toStrictEqual({ turn, repeated: true });
    const call = buildCall(turn, null, { purpose: 'title', cost: 0.25 });
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [],
      calls: [{ call, raw: null }],
      renderings: [],
      status: 'complete',
    });
    const reopened = await reopen();
    expect(await reopened.callsOfTurn(project.id, turn.id)).toStrictEqual([call]);
    const { calls } = await reopened.statistics(project.id);
    expect(calls.filter(({ purpose }) => purpose === 'title')).toMatchObject([{ count: 1, cost: 0.25 }]);
    expect(calls).toHaveLength(2);
    const other = await another();
    await other.importProject(reopened.exportProject(project.id));
    expect(await other.callsOfTurn(project.id, turn.id)).toStrictEqual([call]);
    expect(await other.path(project.id, first.reply.id)).toHaveLength(2);
    const findings = (await verifyStore(other)).findings.filter(({ subject: about }) => /^(turn|call) /.test(about));
    expect(findings).toStrictEqual([]);
  });

  rule('ST-95', 'a document is read as it was written, alone and in the list', async ({ store, reopen }) => {
    const [one, other] = [`a${freshName()}`, `z${freshName()}`];
    const value = {
      list: [1, null, true, { deep: [] }],
      text: 'half \ud83d, nothing \0, 树, 🌳',
      '': 'a name that is empty',
    };
    expect(await store.getDocument(one)).toBeNull();
    expect(await store.putDocument(other, 'second', 0)).toStrictEqual({ name: other, version: 1, value: 'second' });
    expect(await store.putDocument(one, value, 0)).toStrictEqual({ name: one, version: 1, value });
    for (const open of [() => Promise.resolve(store), reopen]) {
      const opened = await open();
      expect(await opened.getDocument(one)).toStrictEqual({ name: one, version: 1, value });
      const listed = (await opened.listDocuments()).filter(({ name }) => name === one || name === other);
      expect(listed.map(({ name }) => name)).toStrictEqual([one, other]);
      expect(listed[0]).toStrictEqual({ name: one, version: 1, value });
    }
  });

  rule('ST-96', 'a writer that did not see the newest version is refused, and changes nothing', async ({ store }) => {
    const name = freshName();
    await expect(store.putDocument(name, 'too early', 1)).rejects.toMatchObject({ code: 'document_changed' });
    expect(await store.getDocument(name)).toBeNull();
    await store.putDocument(name, 'first', 0);
    await expect(store.putDocument(name, 'again', 0)).rejects.toMatchObject({ code: 'document_changed' });
    expect(await store.putDocument(name, null, 1)).toStrictEqual({ name, version: 2, value: null });
    await expect(store.putDocument(name, 'late', 1)).rejects.toMatchObject({ code: 'document_changed' });
    expect(await store.getDocument(name)).toStrictEqual({ name, version: 2, value: null });
  });

  rule('ST-96', 'of writers at the same time one wins', async ({ store }) => {
    const name = freshName();
    for (const expected of [0, 1]) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 6 }, (_, writer) => store.putDocument(name, { writer, expected }, expected)),
      );
      const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(won).toHaveLength(1);
      expect(await store.getDocument(name)).toStrictEqual(won[0]?.value);
    }
  });

  rule('ST-97', 'a name that could be a path is refused', async ({ store }) => {
    for (const name of ['', '..', 'a/b', '.hidden', 'Upper', 'x'.repeat(65)])
      await expect(store.putDocument(name, 1, 0), name).rejects.toMatchObject({ code: 'invalid_document_name' });
  });
}
