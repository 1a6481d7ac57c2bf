import { parseSearch } from '@bough/core';
import { expect, test } from 'vitest';
import { buildNode, seedProject } from '../../contract/build.ts';
import { openForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';

const server = useTestServer();

test('PG-192: what most candidates do not match is found on all pages, newest first, and once', async () => {
  const store = await openForTest(await server(), freshSchema());
  const { project } = await seedProject(store);
  const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  // Old enough that looking through the newest messages does not find them; every 150th has the phrase.
  const old = Array.from({ length: 900 }, (_, second) => ({
    ...buildNode(project, null, second % 150 === 0 ? `an amber oak, ${second}` : `an oak and amber, ${second}`),
    createdAt: at(second),
  }));
  const newer = Array.from({ length: 1_600 }, (_, second) => ({
    ...buildNode(project, null, second === 1_000 ? 'an amber oak of today' : `granite, ${second}`),
    createdAt: at(10_000 + second),
  }));
  await store.appendNodes(project.id, [...newer, ...old]);
  const hits: (string | null)[] = [];
  let cursor: string | null = null;
  do {
    const page = await store.search({
      query: parseSearch('"amber oak"'),
      limit: 2,
      ...(cursor !== null && { cursor }),
    });
    hits.push(...page.hits.map(({ nodeId }) => nodeId));
    cursor = page.cursor;
  } while (cursor !== null);
  const matching = [...newer, ...old].filter(({ content }) => content.includes('amber oak'));
  expect(hits).toEqual(matching.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)).map(({ id }) => id));
});
