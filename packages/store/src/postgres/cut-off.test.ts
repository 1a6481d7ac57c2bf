import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { beginTurn, buildNode, buildProject, seedProject } from '../contract/build.ts';
import { inTransaction, repeatable } from './connection/transaction.ts';
import { insertRows } from './rows/insert.ts';
import { projectRow } from './rows/project.ts';
import { openBehindProxy } from './testing/behind-proxy.ts';
import { useTestServer } from './testing/server.ts';

// Every connection is lost at once, both those in use and those idle in the pool.

const server = useTestServer();

const count = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

test('PG-28: after two seconds without a connection every read and write that was under way succeeds, and once', async () => {
  const { store, proxy } = await openBehindProxy((await server()).connection());
  const { project, branch } = await seedProject(store);
  const { turn, user } = await beginTurn(store, project, branch, null);
  // As many connections as the pool holds.
  await Promise.all(count(30).map(() => store.getProject(project.id)));

  const nodes = count(20).map((at) => buildNode(project, user, `write ${at}`));
  const lines = count(20).map((at) => ({ seq: at + 1, data: `line ${at}` }));
  const underWay = [
    ...nodes.map((node) => store.appendNodes(project.id, [node])),
    ...lines.map((line) => store.appendLog(project.id, turn.id, [line])),
    ...count(20).map(async () => {
      expect(await store.getProject(project.id)).toStrictEqual(project);
    }),
    store.createBranch({ ...branch, id: buildProject().id as unknown as typeof branch.id, name: 'another' }),
  ];
  await sleep(2);
  proxy.cut();
  await sleep(2000);
  proxy.comeBack();
  await Promise.all(underWay);

  const stored = (await store.children(project.id, user.id)).map(({ content }) => content);
  expect([...stored].sort()).toStrictEqual(nodes.map(({ content }) => content).sort());
  expect(await store.readLog(project.id, turn.id, 0, 100)).toStrictEqual(lines);
  expect((await store.listBranches(project.id)).map(({ name }) => name)).toStrictEqual(['main', 'another']);
});

test('PG-28: connections that died in the pool cost no attempts, however many they are and however often it happens', async () => {
  const { store, proxy } = await openBehindProxy((await server()).connection());
  const { project } = await seedProject(store);
  for (const round of count(10)) {
    await Promise.all(count(30).map(() => store.getProject(project.id)));
    proxy.forget();
    await store.appendNodes(project.id, [buildNode(project, null, `round ${round}`)]);
    proxy.forget();
    const types: string[] = [];
    for await (const { type } of store.exportProject(project.id)) types.push(type);
    expect(types).toContain('branch');
  }
  const stored = (await store.children(project.id, null)).map(({ content }) => content);
  expect(stored).toStrictEqual(count(10).map((round) => `round ${round}`));
});

test('PG-28: a server that stays away is given up when the patience is over, by reads and by writes', async () => {
  const { database, proxy } = await openBehindProxy((await server()).connection(), { patienceMs: 500 });
  proxy.cut();
  const began = performance.now();
  const write = inTransaction(database, (trx) => insertRows(trx, 'projects', [projectRow(buildProject())]));
  const read = repeatable(database, (db) => db.selectFrom('projects').select('id').execute());
  const outcomes = await Promise.allSettled([write, read]);
  expect(outcomes.map((outcome) => 'reason' in outcome && outcome.reason.code)).toStrictEqual([
    'store_unreachable',
    'store_unreachable',
  ]);
  expect(performance.now() - began).toBeGreaterThan(450);
});

test('PG-29: a way that went silent without breaking is given up after the time that a statement may take, and another is found', async () => {
  const { store, proxy } = await openBehindProxy((await server()).connection(), { statementTimeoutMs: 500 });
  const { project } = await seedProject(store);
  proxy.fallSilent();
  const node = buildNode(project, null, 'once');
  await store.appendNodes(project.id, [node]);
  expect(await store.children(project.id, null)).toStrictEqual([node]);
}, 30_000);
