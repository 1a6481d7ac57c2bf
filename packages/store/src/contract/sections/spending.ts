import type { Call, Project } from '@bough/core';
import { expect } from 'vitest';
import type { ModelSpending } from '../../spending.ts';
import type { Store } from '../../store.ts';
import { beginTurn, buildCall, freshId, seedProject } from '../build.ts';
import type { Rule } from '../harness.ts';

const DAY = '2031-03-04';
const USED = { inputTokens: 1_000, outputTokens: 20 };
const UNTOLD = { cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

const exchangeOf = (client: string): Pick<Call, 'exchange'> => ({
  exchange: { client, session: null, mode: 'record', protocol: 'gemini', path: '/', came: [] },
});

/** Stores calls in a turn of their own; what differs from a call that was answered and paid for is given. */
async function spend(store: Store, calls: readonly Partial<Call>[], at?: Awaited<ReturnType<typeof seedProject>>) {
  const { project, branch } = at ?? (await seedProject(store));
  const { turn } = await beginTurn(store, project, branch, null);
  const whole = { status: 'complete', startedAt: `${DAY}T10:00:00.000Z`, usage: USED, cost: 0.5 } as const;
  const made = calls.map((call) => ({ call: buildCall(turn, null, { ...whole, ...call }), raw: null }));
  const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', nodes: [], calls: made, renderings: [] };
  await store.commitTurn({ ...commit, status: 'complete' });
  return { project, turn, commit };
}

/** Of one project: the tests of a section share a store. */
const of = (store: Store, { id }: Project): Promise<readonly ModelSpending[]> =>
  store.spending({ project: id, by: ['client'] });

const line = {
  day: null,
  project: null,
  client: 'bough',
  calls: 1,
  uncounted: 0,
  unpriced: 0,
  ...USED,
  ...UNTOLD,
  cost: 0.5,
} as const;

export function spending(rule: Rule): void {
  rule('ST-165', 'what calls used is summed up by model, with the commit that stores them', async (subject) => {
    const { store, reopen } = subject;
    const model = freshId('model');
    const { project, commit } = await spend(store, [{ model }, { model, cost: 0.25 }, { model: 'other' }]);
    const { provider } = commit.calls[0]?.call ?? { provider: '' };
    const expected = [
      { ...line, provider, model, calls: 2, inputTokens: 2_000, outputTokens: 40, cost: 0.75 },
      { ...line, provider, model: 'other' },
    ];
    for (const open of [() => Promise.resolve(store), reopen]) {
      const found = await of(await open(), project);
      expect(found.toSorted((a, b) => b.calls - a.calls)).toStrictEqual(expected);
    }
  });

  rule('ST-166', 'by day, project and client; a client counts as one, whatever its version', async ({ store }) => {
    const model = freshId('model');
    const client = freshId('client').replaceAll('/', '');
    const seeded = await seedProject(store);
    const { project } = await spend(
      store,
      [
        { model, ...exchangeOf(`${client}/1.0`) },
        { model, ...exchangeOf(`${client}/2.0`), startedAt: '2031-03-05T23:59:59.999Z' },
        { model },
      ],
      seeded,
    );
    const other = await spend(store, [{ model, ...exchangeOf(client) }]);
    const calls = async (query: Parameters<Store['spending']>[0]): Promise<readonly number[]> =>
      (await store.spending(query)).filter((row) => row.model === model).map((row) => row.calls);
    expect(await calls({})).toStrictEqual([4]);
    expect(await calls({ project: project.id })).toStrictEqual([3]);
    expect(await calls({ client })).toStrictEqual([3]);
    expect(await calls({ client, project: project.id })).toStrictEqual([2]);
    expect(await calls({ from: '2031-03-05' })).toStrictEqual([1]);
    expect(await calls({ from: '2031-03-06' })).toStrictEqual([]);
    const byBoth = await store.spending({ by: ['project', 'client'] });
    const told = byBoth
      .filter((row) => row.model === model)
      .map(({ project: of, client: by, calls: n }) => `${of} ${by} ${n}`);
    const expected = [`${project.id} ${client} 2`, `${project.id} bough 1`, `${other.project.id} ${client} 1`];
    expect(new Set(told)).toStrictEqual(new Set(expected));
  });

  rule(
    'ST-281',
    'days are told apart, and so is what a cache had, what it got, and what was reasoning',
    async (subject) => {
      const { store, reopen } = subject;
      const usage = { ...USED, cachedInputTokens: 600, cacheWriteTokens: 100, reasoningTokens: 5 };
      const later = { usage, startedAt: '2031-03-06T00:00:00.000Z' };
      const { project } = await spend(store, [
        { usage },
        {},
        later,
        { ...later, startedAt: '2031-03-07T01:00:00.000Z' },
      ]);
      const parts = { cachedInputTokens: 600, cacheWriteTokens: 100, reasoningTokens: 5 };
      for (const open of [() => Promise.resolve(store), reopen]) {
        const rows = await (await open()).spending({ project: project.id, by: ['day'], until: '2031-03-06' });
        expect(rows.toSorted((a, b) => ((a.day ?? '') < (b.day ?? '') ? -1 : 1))).toMatchObject([
          { day: DAY, calls: 2, inputTokens: 2_000, ...parts },
          { day: '2031-03-06', calls: 1, inputTokens: 1_000, ...parts },
        ]);
      }
    },
  );

  rule('ST-167', 'what is not known is not zero: it is counted apart', async ({ store }) => {
    const { project } = await spend(store, [
      { cost: null },
      { usage: null, cost: null, status: 'interrupted' },
      { usage: { inputTokens: 7 }, cost: null, firstByteAt: `${DAY}T10:00:01.000Z` },
      // Refused: it used nothing.
      { usage: null, cost: null, status: 'error', firstByteAt: null },
    ]);
    const expected = { calls: 4, unpriced: 1, uncounted: 2, inputTokens: 1_007, outputTokens: 20, cost: 0 };
    expect(await of(store, project)).toMatchObject([expected]);
  });

  rule('ST-168', 'what is deleted was paid for; what is imported was not paid for here', async (subject) => {
    const { store, another } = subject;
    const { project } = await spend(store, [{}]);
    const other = await another();
    await other.importProject(store.exportProject(project.id));
    expect(await other.spending({})).toStrictEqual([]);
    await store.deleteProject(project.id);
    expect(await of(store, project)).toMatchObject([{ calls: 1, cost: 0.5 }]);
  });

  rule('ST-169', 'a refused commit counts nothing, and commits at the same time all count', async ({ store }) => {
    const { project, commit } = await spend(store, [{}]);
    await expect(store.commitTurn({ ...commit, calls: commit.calls })).rejects.toMatchObject({ code: 'not_owner' });
    expect(await of(store, project)).toMatchObject([{ calls: 1 }]);
    const model = freshId('model');
    await Promise.all(Array.from({ length: 8 }, () => spend(store, [{ model }, { model: `${model}-b` }])));
    const rows = (await store.spending({})).filter((row) => row.model.startsWith(model));
    expect(rows.map(({ calls, cost }) => [calls, cost])).toStrictEqual([
      [8, 4],
      [8, 4],
    ]);
  });
}
