import { expect, onTestFinished, test, vi } from 'vitest';
import { beginTurn, buildNode, buildProject, seedProject } from '../contract/build.ts';
import type { PostgresStore } from './index.ts';
import { openPostgresStore } from './index.ts';
import { everyProcess, kill } from './testing/processes.ts';
import type { Proxy } from './testing/proxy.ts';
import { startProxy } from './testing/proxy.ts';
import { freshSchema, useTestServer } from './testing/server.ts';

// The server dies with everything that it has not yet forced to the disk, in the moment in which it is told to commit. Its next life
// gives the number of the lost transaction to another one, which commits.

const server = useTestServer();

/** Opens a store through a proxy, on a server that forces nothing to the disk unless a commit waits for it. */
async function openThroughProxy(): Promise<{ store: PostgresStore; proxy: Proxy }> {
  const { connection, query } = await server();
  await query('ALTER SYSTEM SET wal_writer_delay = 10000');
  await query('SELECT pg_reload_conf()');
  const proxy = await startProxy(connection());
  onTestFinished(proxy.close);
  const store = await openPostgresStore({ url: proxy.url, schema: freshSchema() });
  onTestFinished(store.close);
  return { store, proxy };
}

/** Kills the server when the next commit is on its way, and gives the number of its transaction away before anybody can ask for it. */
async function crashInTheCommitOf<T>(proxy: Proxy, write: () => Promise<T>): Promise<T> {
  const { cluster, query } = await server();
  if (cluster === null) throw new Error('only a server of our own can be killed');
  const held = proxy.holdBack('commit');
  const outcome = write();
  // Its rejection, if there is one, is for the test to see.
  outcome.catch(() => undefined);
  await held;
  for (const pid of everyProcess(cluster)) kill(pid);
  const revived = async (): Promise<void> => {
    await query('SELECT 1');
  };
  await vi.waitFor(revived, { timeout: 30_000, interval: 100 });
  for (let given = 0; given < 50; given += 1) await query('SELECT pg_current_xact_id()');
  proxy.comeBack();
  return outcome;
}

test('PG-12: a write that a crash took along is done again, although its transaction number is another one by then', async () => {
  const { store, proxy } = await openThroughProxy();
  const project = buildProject();
  await store.createProject(project);
  const node = buildNode(project, null, 'acknowledged');
  await crashInTheCommitOf(proxy, () => store.appendNodes(project.id, [node]));
  expect(await store.children(project.id, null)).toStrictEqual([node]);
});

test('PG-12: the same for a transaction of many statements', async () => {
  const { store, proxy } = await openThroughProxy();
  const { project, branch } = await seedProject(store);
  await crashInTheCommitOf(proxy, () => store.updateBranch(project.id, branch.id, { name: 'acknowledged' }));
  expect((await store.getBranch(project.id, branch.id)).name).toBe('acknowledged');
});

test('PG-12: the same for a turn that begins, and for its end', async () => {
  const { store, proxy } = await openThroughProxy();
  const { project, branch } = await seedProject(store);
  const { turn } = await crashInTheCommitOf(proxy, () => beginTurn(store, project, branch, null));
  expect(await store.getTurn(project.id, turn.id)).toStrictEqual(turn);
  const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], calls: [], renderings: [] };
  await crashInTheCommitOf(proxy, () => store.commitTurn({ ...commit, status: 'complete' }));
  expect((await store.getTurn(project.id, turn.id)).status).toBe('complete');
});
