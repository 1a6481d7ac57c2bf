import type { ProjectId } from '@bough/core';
import { expect, test, vi } from 'vitest';
import { beginTurn, buildProject, seedProject } from '../../contract/build.ts';
import type { Store, StoreSignal } from '../../store.ts';
import { openForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';
import { readSignal, writeSignal } from './signal.ts';

const server = useTestServer();

function listenTo(store: Store, project: ProjectId): StoreSignal[] {
  const heard: StoreSignal[] = [];
  store.subscribe((signal) => {
    if (signal.projectId === project) heard.push(signal);
  });
  return heard;
}

/** Cuts every connection that listens. */
async function cutListeners(): Promise<void> {
  const { query } = await server();
  await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`);
}

test('PG-23: signals cross from one store to another, and stay in their schema', async () => {
  const schema = freshSchema();
  const [one, other] = [await openForTest(await server(), schema), await openForTest(await server(), schema)];
  const stranger = await openForTest(await server(), freshSchema());
  const project = buildProject();
  const heard = listenTo(other, project.id);
  const strange = listenTo(stranger, project.id);
  const signal: StoreSignal = { type: 'changed', projectId: project.id };
  await one.publish(signal);
  await vi.waitFor(() => expect(heard).toStrictEqual([signal]), { timeout: 10_000 });
  await stranger.publish({ ...signal });
  await vi.waitFor(() => expect(strange).toStrictEqual([signal]), { timeout: 10_000 });
  expect(heard.length).toBe(1);
});

test('PG-23: a lost listening connection is made anew, and what may have been missed is told', async () => {
  const store = await openForTest(await server(), freshSchema());
  const { project, branch } = await seedProject(store);
  const { turn } = await beginTurn(store, project, branch, null);
  await store.appendLog(project.id, turn.id, [
    { seq: 1, data: '{}' },
    { seq: 2, data: '{}' },
  ]);
  await store.publish({ type: 'interrupt', projectId: project.id, turnId: turn.id });
  const heard = listenTo(store, project.id);
  await cutListeners();
  const ids = { projectId: project.id, turnId: turn.id };
  await vi.waitFor(
    () =>
      expect(heard.filter(({ type }) => type !== 'interrupt')).toStrictEqual([
        { type: 'progress', ...ids, seq: 2 },
        { type: 'changed', projectId: project.id },
      ]),
    { timeout: 20_000 },
  );
  // Requested before the connection was lost: the server that runs the turn hears of it again.
  expect(heard).toContainEqual({ type: 'interrupt', ...ids });

  heard.length = 0;
  await store.publish({ type: 'watching', ...ids });
  await vi.waitFor(() => expect(heard).toContainEqual({ type: 'watching', ...ids }), { timeout: 20_000 });
});

test('PG-23: every signal is written and read as it is, and what is none is not taken for one', () => {
  const ids = { projectId: buildProject().id, turnId: 'turn \0 \ud800' };
  for (const signal of [
    { type: 'progress', ...ids, seq: 7 },
    { type: 'watching', ...ids },
    { type: 'interrupt', ...ids },
    { type: 'changed', projectId: ids.projectId },
  ]) {
    expect(readSignal(writeSignal(signal as StoreSignal))).toStrictEqual(signal);
  }
  for (const payload of [
    '',
    'hello',
    '[]',
    '{}',
    '{"type":"changed"}',
    '{"type":"progress","projectId":"p","turnId":"t"}',
    '{"type":"applause","projectId":"p","turnId":"t"}',
  ]) {
    expect(readSignal(payload)).toBeNull();
  }
});
