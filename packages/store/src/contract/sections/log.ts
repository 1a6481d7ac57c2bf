import { expect } from 'vitest';
import { ConflictError } from '../../errors.ts';
import type { LogEntry } from '../../store.ts';
import { beginTurn, seedProject } from '../build.ts';
import type { Rule } from '../harness.ts';

const entry = (seq: number): LogEntry => ({ seq, data: `{"seq":${seq}}` });
const entries = (from: number, to: number): LogEntry[] =>
  Array.from({ length: to - from + 1 }, (_, index) => entry(from + index));

export function log(rule: Rule): void {
  rule('ST-41', 'a log is read in order, after a number, up to a limit', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
    await store.appendLog(project.id, turn.id, entries(1, 3));
    await store.appendLog(project.id, turn.id, []);
    await store.appendLog(project.id, turn.id, entries(4, 12));
    expect(await store.readLog(project.id, turn.id, 0, 100)).toStrictEqual(entries(1, 12));
    const reopened = await reopen();
    expect(await reopened.readLog(project.id, turn.id, 0, 100)).toStrictEqual(entries(1, 12));
    expect(await reopened.readLog(project.id, turn.id, 2, 3)).toStrictEqual(entries(3, 5));
    expect(await reopened.readLog(project.id, turn.id, 12, 3)).toStrictEqual([]);
    await reopened.appendLog(project.id, turn.id, entries(13, 13));
    expect(await reopened.readLog(project.id, turn.id, 11, 10)).toStrictEqual(entries(12, 13));
  });

  rule('ST-41', 'appends that are under way together all arrive, each in its place', async ({ store, reopen }) => {
    const turns = [];
    for (let index = 0; index < 4; index += 1) {
      const { project, branch } = await seedProject(store);
      turns.push({ project, turn: (await beginTurn(store, project, branch, null)).turn });
    }
    await Promise.all(
      turns.flatMap(({ project, turn }) =>
        Array.from({ length: 50 }, (_, index) =>
          store.appendLog(project.id, turn.id, entries(index * 2 + 1, index * 2 + 2)),
        ),
      ),
    );
    const reopened = await reopen();
    for (const { project, turn } of turns) {
      expect(await reopened.readLog(project.id, turn.id, 0, 1000)).toStrictEqual(entries(1, 100));
    }
  });

  rule('ST-42', 'a number that is taken is a conflict, whole, and harms no neighbour', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const neighbour = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    const other = await beginTurn(store, neighbour.project, neighbour.branch, null);
    await store.appendLog(project.id, turn.id, entries(1, 3));
    const [zombie, good] = await Promise.allSettled([
      store.appendLog(project.id, turn.id, [{ seq: 3, data: 'zombie' }, entry(4)]),
      store.appendLog(neighbour.project.id, other.turn.id, entries(1, 2)),
    ]);
    expect(zombie).toMatchObject({ status: 'rejected', reason: { code: 'id_taken' } });
    expect(good.status).toBe('fulfilled');
    expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual(entries(1, 3));
    expect(await store.readLog(neighbour.project.id, other.turn.id, 0, 10)).toStrictEqual(entries(1, 2));
  });

  rule(
    'ST-43',
    'a log ends with its turn, and can be read to its end until it is dropped',
    async ({ store, reopen }) => {
      const { project, branch } = await seedProject(store);
      const { turn } = await beginTurn(store, project, branch, null);
      const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], calls: [], renderings: [] };
      await store.appendLog(project.id, turn.id, entries(1, 5));
      await store.commitTurn(commit);
      await store.appendLog(project.id, turn.id, entries(6, 6));
      await store.commitTurn({ ...commit, status: 'complete' });
      const reopened = await reopen();
      expect(await reopened.readLog(project.id, turn.id, 0, 10)).toStrictEqual(entries(1, 6));
      await expect(reopened.appendLog(project.id, turn.id, [entry(7)])).rejects.toMatchObject({ code: 'not_owner' });
      await expect(reopened.appendLog(project.id, turn.id, [entry(7)])).rejects.toBeInstanceOf(ConflictError);
      expect(await reopened.readLog(project.id, turn.id, 0, 10)).toStrictEqual(entries(1, 6));

      await reopened.dropLog(project.id, turn.id);
      expect(await reopened.readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
      await reopened.dropLog(project.id, turn.id);
      expect(await (await reopen()).readLog(project.id, turn.id, 0, 10)).toStrictEqual([]);
    },
  );

  rule('ST-802', 'the end of a turn brings the last entries of its log', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], calls: [], renderings: [] };
    await store.appendLog(project.id, turn.id, entries(1, 2));
    const odd = { seq: 4, data: 'half \ud83c, nul \0, \u{1f333} and "quotes" \\' };
    await store.commitTurn({ ...commit, log: [entry(3), odd] });
    await store.appendLog(project.id, turn.id, [entry(5)]);
    await store.commitTurn({ ...commit, log: [entry(6)], status: 'complete' });
    const reopened = await reopen();
    expect(await reopened.readLog(project.id, turn.id, 0, 10)).toStrictEqual([
      ...entries(1, 3),
      odd,
      entry(5),
      entry(6),
    ]);
    await expect(reopened.commitTurn({ ...commit, log: [entry(7)] })).rejects.toMatchObject({ code: 'not_owner' });
    expect(await reopened.readLog(project.id, turn.id, 6, 10)).toStrictEqual([]);
  });

  rule('ST-43', 'the log of a turn that runs or waits is not dropped', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    await store.appendLog(project.id, turn.id, entries(1, 2));
    const refusal = { code: 'turn_running', conflicting: turn.id };
    await expect(store.dropLog(project.id, turn.id)).rejects.toMatchObject(refusal);
    await store.releaseTurn(project.id, turn.id, 'owner-1', 'awaiting_approval');
    await expect(store.dropLog(project.id, turn.id)).rejects.toMatchObject(refusal);
    expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual(entries(1, 2));
  });
}
