import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFilesStore } from '@bough/store';
import { expect, it, onTestFinished } from 'vitest';
import { stageOn } from '../turn/testing.ts';

it('EN-126: a title that its server did not live to write is closed by another, and leaves no message', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bough-titles-'));
  const store = await openFilesStore({ directory });
  onTestFinished(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });
  const { env, engine, problems } = stageOn(store, 'http://127.0.0.1:9', { owner: 'heir' });
  const { project } = await engine.createProject({});
  const id = env.ids.turn();
  await store.beginTurn({
    turn: {
      id,
      projectId: project.id,
      branchId: null,
      isThinkingMode: false,
      status: 'running',
      createdAt: new Date().toISOString(),
    },
    owner: 'dead',
    leaseMs: 1,
    clientRequestId: 'bough:title:1',
    nodes: [],
  });
  await engine.start();
  onTestFinished(async () => void (await engine.stop(0)));
  await expect.poll(async () => (await store.getTurn(project.id, id)).status, { timeout: 10_000 }).toBe('interrupted');
  expect(await store.nodesOfTurn(project.id, id)).toStrictEqual([]);
  expect((await store.graph(project.id)).nodes).toStrictEqual([]);
  expect(problems).toStrictEqual([]);
});
