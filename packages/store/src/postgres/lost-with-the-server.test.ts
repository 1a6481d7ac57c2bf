import { expect, onTestFinished, test, vi } from 'vitest';
import { beginTurn, buildNode, buildProject, seedProject } from '../contract/build.ts';
import { openPostgresStore } from './index.ts';
import type { BehindProxy } from './testing/behind-proxy.ts';
import { openBehindProxy } from './testing/behind-proxy.ts';
import { everyProcess, kill } from './testing/processes.ts';
import type { Proxy } from './testing/proxy.ts';
import { freshSchema, startTestServer, useTestServer } from './testing/server.ts';

// The server dies at the moment it is told to commit, losing everything that is not yet on the disk. After its restart
// it gives the number of the lost transaction to another one, which commits.

const server = useTestServer();

/** A store on a server that forces nothing to the disk unless a commit waits for it. */
async function openOnLazyServer(): Promise<BehindProxy> {
  const { connection, query } = await server();
  await query('ALTER SYSTEM SET wal_writer_delay = 10000');
  await query('SELECT pg_reload_conf()');
  return openBehindProxy(connection());
}

/** Uses up transaction numbers, each of them committed. */
const GIVE_NUMBERS = `DO $$ BEGIN FOR given IN 1..300 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`;

/**
 * Kills the server when the next commit is on its way, and has its transaction number reused before anybody can ask for
 * it.
 */
async function crashInTheCommitOf<T>(proxy: Proxy, write: () => Promise<T>): Promise<T> {
  const { cluster, query } = await server();
  if (cluster === null) throw new Error('only a server of our own can be killed');
  const held = proxy.holdBack('commit');
  const outcome = write();
  // The test looks at its rejection, if there is one.
  outcome.catch(() => undefined);
  await held;
  for (const pid of everyProcess(cluster)) kill(pid);
  const revived = async (): Promise<void> => {
    await query('SELECT 1');
  };
  await vi.waitFor(revived, { timeout: 60_000, interval: 100 });
  await query(GIVE_NUMBERS);
  proxy.comeBack();
  return outcome;
}

test('PG-12: a write that a crash took along is done again, although its transaction number is another one by then', async () => {
  const { store, proxy } = await openOnLazyServer();
  const project = buildProject();
  await store.createProject(project);
  const node = buildNode(project, null, 'acknowledged');
  await crashInTheCommitOf(proxy, () => store.appendNodes(project.id, [node]));
  expect(await store.children(project.id, null)).toStrictEqual([node]);
});

test('PG-12: the same for a transaction of many statements', async () => {
  const { store, proxy } = await openOnLazyServer();
  const { project, branch } = await seedProject(store);
  await crashInTheCommitOf(proxy, () => store.updateBranch(project.id, branch.id, { name: 'acknowledged' }));
  expect((await store.getBranch(project.id, branch.id)).name).toBe('acknowledged');
});

test('PG-12: the same for a turn that begins, and for its end', async () => {
  const { store, proxy } = await openOnLazyServer();
  const { project, branch } = await seedProject(store);
  const { turn } = await crashInTheCommitOf(proxy, () => beginTurn(store, project, branch, null));
  expect(await store.getTurn(project.id, turn.id)).toStrictEqual(turn);
  const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], calls: [], renderings: [] };
  await crashInTheCommitOf(proxy, () => store.commitTurn({ ...commit, status: 'complete' }));
  expect((await store.getTurn(project.id, turn.id)).status).toBe('complete');
});

test('PG-12: the same where another server takes over that never saw the write', async () => {
  const schema = freshSchema();
  const [first, second] = [await server(), await startTestServer()];
  onTestFinished(second.dispose);
  for (const { query } of [first, second]) await query(`CREATE ROLE shared SUPERUSER LOGIN PASSWORD 'shared'`);
  const asShared = { ...first.connection(), user: 'shared', password: 'shared' };
  const { store, proxy } = await openBehindProxy(asShared, { schema });
  // A copy from before the write. Its transaction numbers continue from there: it calls that of the lost one committed.
  const copy = await openPostgresStore(second.options(schema));
  onTestFinished(copy.close);
  const project = buildProject();
  for (const each of [store, copy]) await each.createProject(project);
  await second.query(GIVE_NUMBERS);

  const node = buildNode(project, null, 'acknowledged');
  const held = proxy.holdBack('commit');
  const write = store.appendNodes(project.id, [node]);
  await held;
  proxy.comeBack(second.connection());
  await write;
  expect(await copy.children(project.id, null)).toStrictEqual([node]);
});
