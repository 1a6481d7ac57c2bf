import { UnknownIdError } from '@bough/core';
import { expect, test } from 'vitest';
import { buildNode, buildReply, NOWHERE, seedProject, seedTurn } from '../../contract/build.ts';
import { openForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';

const server = useTestServer();

test('PG-24: nodes from before turns were stored get turns, by their user messages, once', async () => {
  const store = await openForTest(await server(), freshSchema());
  const { project, branch } = await seedProject(store);
  const system = buildNode(project, null, 'Be kind.', { role: 'system' });
  const first = buildNode(project, system, 'first', { createdOnBranch: branch.id });
  const reply = buildReply(project, first, 'thought about');
  const second = buildNode(project, reply, 'second');
  const plain = buildNode(project, second, 'failed', { role: 'assistant', isError: true });
  await store.appendNodes(project.id, [system, first, reply, second, plain]);
  const modern = await seedTurn(store, project, branch, null);
  const before = await store.path(project.id, plain.id);

  expect(await store.backfillTurns(project.id)).toStrictEqual({ turns: 2, nodes: 4 });
  const after = await store.path(project.id, plain.id);
  expect(after.map(({ turnId }) => turnId)).toStrictEqual([
    null,
    ...[first, first, second, second].map(({ id }) => `backfilled-${id}`),
  ]);
  expect(after.map((node) => ({ ...node, turnId: null }))).toStrictEqual(before);
  const { turns } = await store.history(project.id, { tip: plain.id, limit: 10 });
  expect(turns.map(({ isThinkingMode, status, branchId }) => [isThinkingMode, status, branchId])).toStrictEqual([
    [true, 'complete', branch.id],
    [false, 'error', null],
  ]);
  expect(await store.getTurn(project.id, modern.turn.id)).toStrictEqual(modern.turn);

  expect(await store.backfillTurns(project.id)).toStrictEqual({ turns: 0, nodes: 0 });
  expect(await store.path(project.id, plain.id)).toStrictEqual(after);
});

test('PG-24: a project that does not exist is not backfilled', async () => {
  const store = await openForTest(await server(), freshSchema());
  await expect(store.backfillTurns(NOWHERE.project)).rejects.toBeInstanceOf(UnknownIdError);
});
