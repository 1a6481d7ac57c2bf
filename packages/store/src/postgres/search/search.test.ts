import pg from 'pg';
import { expect, test } from 'vitest';
import { buildNode, searchIn, seedChain, seedProject } from '../../contract/build.ts';
import { parseSearch } from '@bough/core';
import { openForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';

const server = useTestServer();

test('PG-50: what was stored without lexemes is indexed in steps after the start; until then search says so', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const first = await openForTest(await server(), schema);
  const { project } = await seedProject(first);
  const nodes = await seedChain(
    first,
    project,
    null,
    Array.from({ length: 1_000 }, (_, at) => `granite ${at}`),
  );
  await first.close();
  // As an earlier version left it.
  for (const table of ['nodes', 'projects', 'branches']) await query(`UPDATE ${schema}.${table} SET lexemes = NULL`);
  // Somebody holds one of the oldest messages: the step that indexes it has to wait.
  const holder = new pg.Client((await server()).connection());
  await holder.connect();
  await holder.query(`BEGIN; SELECT FROM ${schema}.nodes WHERE id = '${nodes[0]?.id}' FOR UPDATE`);
  const store = await openForTest(await server(), schema);
  const early = await store.search({ query: parseSearch('granite '), limit: 5 });
  expect(early.indexing).toBe(true);
  await holder.query('ROLLBACK');
  await holder.end();
  expect((await searchIn(store, project, 'granite ')).length).toBe(nodes.length);
  expect((await store.search({ query: parseSearch('granite '), limit: 5 })).indexing).toBe(false);
  expect(await query(`SELECT count(*)::int AS left FROM ${schema}.nodes WHERE lexemes IS NULL`)).toEqual([{ left: 0 }]);
});

test('PG-51: several servers index the same data at once, and nothing is missed', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const stores = await Promise.all([openForTest(await server(), schema), openForTest(await server(), schema)]);
  const [one, other] = stores;
  if (!one || !other) throw new Error('two stores');
  const { project } = await seedProject(one);
  const nodes = await seedChain(
    one,
    project,
    null,
    Array.from({ length: 300 }, (_, at) => `basalt ${at}`),
  );
  await query(`UPDATE ${schema}.nodes SET lexemes = NULL`);
  const late = buildNode(project, null, 'basalt at last');
  const [found] = await Promise.all([
    searchIn(one, project, 'basalt'),
    searchIn(other, project, 'basalt'),
    other.appendNodes(project.id, [late]),
  ]);
  expect(found.length).toBeGreaterThanOrEqual(nodes.length);
  expect((await searchIn(other, project, 'basalt')).length).toBe(nodes.length + 1);
});
