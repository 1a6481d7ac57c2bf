import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { beginTurn, buildNode, buildProject, seedProject } from '../contract/build.ts';
import { recordsOf } from '../contract/snapshot.ts';
import { inTransaction } from './connection/transaction.ts';
import { insertRows } from './rows/insert.ts';
import { projectRow } from './rows/project.ts';
import { openBehindProxy } from './testing/behind-proxy.ts';
import { openForTest } from './testing/database.ts';
import { useTestServer } from './testing/server.ts';

// The worst moment for a connection to break: the server has done the work, and its answer is lost.

const server = useTestServer();

const openThroughProxy = async () => openBehindProxy((await server()).connection());

test('PG-21: log lines whose answer was lost are stored once, and the append resolves', async () => {
  const { store, proxy } = await openThroughProxy();
  const { project, branch } = await seedProject(store);
  const { turn } = await beginTurn(store, project, branch, null);
  proxy.loseAnswerTo('INSERT INTO stream_log');
  const entries = [1, 2, 3].map((seq) => ({ seq, data: `{"seq":${seq}}` }));
  await store.appendLog(project.id, turn.id, entries);
  expect(proxy.lost()).toBe(1);
  expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual(entries);
  // Only our own lines are taken for our own.
  proxy.loseAnswerTo('INSERT INTO stream_log');
  const zombie = store.appendLog(project.id, turn.id, [{ seq: 3, data: 'another' }]);
  await expect(zombie).rejects.toMatchObject({ code: 'id_taken' });
  expect(await store.readLog(project.id, turn.id, 0, 10)).toStrictEqual(entries);
});

test('PG-12: a write whose commit was done and never answered is not done again, and resolves', async () => {
  const { store, proxy } = await openThroughProxy();
  const project = buildProject();
  await store.createProject(project);
  proxy.loseAnswerTo('commit');
  const node = buildNode(project, null, 'once');
  await store.appendNodes(project.id, [node]);
  expect(proxy.lost()).toBe(1);
  expect(await store.children(project.id, null)).toStrictEqual([node]);
});

test('PG-12: where the server is gone with the answer, the outcome is told as unknown', async () => {
  const { database, proxy } = await openBehindProxy((await server()).connection(), { patienceMs: 300 });
  const write = inTransaction(database, async (trx) => {
    await insertRows(trx, 'projects', [projectRow(buildProject())]);
    proxy.loseAnswerTo('commit', 'and everything after it');
  });
  await expect(write).rejects.toMatchObject({ code: 'outcome_unknown' });
});

test('PG-12: a write whose answer was lost before the commit is done again, and is there once', async () => {
  const { store, proxy } = await openThroughProxy();
  const project = buildProject();
  await store.createProject(project);
  proxy.loseAnswerTo('INSERT INTO "nodes"');
  const node = buildNode(project, null, 'once');
  await store.appendNodes(project.id, [node]);
  expect(proxy.lost()).toBe(1);
  expect(await store.children(project.id, null)).toStrictEqual([node]);
});

test('PG-12: an import whose commit was never answered resolves, and is there', async () => {
  const { store, proxy } = await openThroughProxy();
  const project = buildProject();
  proxy.loseAnswerTo('commit');
  await store.importProject(recordsOf([{ type: 'project', value: project }]));
  expect(proxy.lost()).toBe(1);
  expect(await store.listProjects()).toStrictEqual([project]);
});

test('PG-12: a read whose answer was lost is done again', async () => {
  const { store, proxy } = await openThroughProxy();
  const project = buildProject();
  await store.createProject(project);
  proxy.loseAnswerTo('select');
  expect(await store.getProject(project.id)).toStrictEqual(project);
  expect(proxy.lost()).toBe(1);
});

test('PG-33: a turn whose take-over was never answered is known to be taken over', async () => {
  const { store, proxy } = await openThroughProxy();
  const { project, branch } = await seedProject(store);
  const { turn } = await beginTurn(store, project, branch, null, 'dead', 0);
  await sleep(5);
  proxy.loseAnswerTo('commit');
  expect(await store.claimExpiredTurns('heir', 60_000)).toStrictEqual([turn]);
  expect(proxy.lost()).toBe(1);
  expect(await store.renewLeases('heir', [turn.id], 60_000)).toStrictEqual([turn.id]);
});

test('PG-33: a take-over that nobody learns of lapses with its lease, and the turn is taken over again', async () => {
  const { store, proxy, schema } = await openBehindProxy((await server()).connection(), { patienceMs: 300 });
  const { project, branch } = await seedProject(store);
  const { turn } = await beginTurn(store, project, branch, null, 'dead', 0);
  await sleep(5);
  proxy.loseAnswerTo('commit', 'and everything after it');
  await expect(store.claimExpiredTurns('heir', 200)).rejects.toMatchObject({ code: 'outcome_unknown' });
  const { query } = await server();
  expect(await query(`SELECT owner FROM ${schema}.turns`)).toStrictEqual([{ owner: 'heir' }]);
  const other = await openForTest(await server(), schema);
  const claimed = async (): Promise<void> => {
    expect(await other.claimExpiredTurns('second heir', 60_000)).toStrictEqual([turn]);
  };
  await vi.waitFor(claimed, { timeout: 10_000 });
});
