import { expect, test } from 'vitest';
import { beginTurn, LONG_LEASE, seedProject } from '../../contract/build.ts';
import { openForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';

const server = useTestServer();

test('PG-43: a request to stop a turn is not meant for what it does after it was reopened', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const store = await openForTest(await server(), schema);
  const { project, branch } = await seedProject(store);
  const { turn } = await beginTurn(store, project, branch, null);
  const asked = async (): Promise<unknown> =>
    (await query(`SELECT interrupt_requested AS asked FROM ${schema}.turns`))[0];
  await store.publish({ type: 'interrupt', projectId: project.id, turnId: turn.id });
  expect(await asked()).toMatchObject({ asked: true });
  const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], calls: [], renderings: [] };
  await store.commitTurn({ ...commit, status: 'interrupted' });
  await store.reopenTurn(project.id, turn.id, 'owner-2', LONG_LEASE);
  expect(await asked()).toMatchObject({ asked: false });
});
