import type { Call, RawPayload } from '@bough/core';
import { expect } from 'vitest';
import {
  beginTurn,
  buildCall,
  buildRaw,
  buildReply,
  freshId,
  searchAll,
  searchIn,
  seedProject,
  seedTurn,
} from '../build.ts';
import type { Rule } from '../harness.ts';

const PAYLOADS: readonly RawPayload[] = [
  [{ event: 'ping', data: '{"type": "ping"}' }, { data: '' }],
  ['{"id":1,  "x":1.0}', '[DONE]'],
  { events: [{ event: 'response.created', data: '{ }' }], response: null },
  { events: [], response: '{"output":[]}\n' },
  { stream: ['{"a":1}', '{"a":1}'], response: null },
  { response: '{"id":"x","n":10000000000000000000001}' },
];

export function calls(rule: Rule): void {
  rule('ST-36', 'the calls of a turn come in the order in which they were stored', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    const made = [3, 1, 2].map((n) => buildCall(turn, null, { startedAt: `2025-01-0${n}T00:00:00Z`, usage: {} }));
    for (const call of made) {
      await store.commitTurn({
        projectId: project.id,
        turnId: turn.id,
        owner: 'owner-1',
        nodes: [],
        calls: [{ call, raw: null }],
        renderings: [],
      });
    }
    expect(await (await reopen()).callsOfTurn(project.id, turn.id)).toStrictEqual(made);
  });

  rule('ST-37', 'raw comes back to the byte, in every shape that a provider has', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const parts = PAYLOADS.map((payload, index) => {
      const reply = buildReply(project, user, `reply ${index}`, { turnId: turn.id });
      const raw = buildRaw('', { payload, complete: index % 2 === 0, api: 'gemini' });
      return { reply, raw, call: buildCall(turn, reply) };
    });
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: parts.map(({ reply }) => reply),
      calls: parts.map(({ call, raw }) => ({ call, raw })),
      renderings: [],
      status: 'complete',
    });
    const reopened = await reopen();
    for (const { reply, raw } of parts) {
      expect(JSON.stringify(await reopened.getRaw(project.id, reply.id))).toBe(JSON.stringify(raw));
    }
  });

  rule('ST-38', 'raw may be absent: everything else is read as ever', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const reply = buildReply(project, user, 'without raw', { turnId: turn.id });
    const call = buildCall(turn, reply);
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [reply],
      calls: [{ call, raw: null }],
      renderings: [],
      status: 'complete',
    });
    expect(await store.getRaw(project.id, reply.id)).toBeNull();
    expect(await store.getRaw(project.id, user.id)).toBeNull();
    expect((await store.history(project.id, { tip: reply.id, limit: 1 })).calls).toStrictEqual([call]);
    expect((await store.readContext(project.id, reply.id, 'k')).raws.size).toBe(0);
  });

  rule(
    'ST-520',
    'what other models used and what a provider told of its cache is read as it was stored',
    async (stage) => {
      const { store, reopen } = stage;
      const { project, branch } = await seedProject(store);
      const { turn, user } = await beginTurn(store, project, branch, null);
      const reply = buildReply(project, user, 'compared', { turnId: turn.id });
      const usage: Call['usage'] = {
        inputTokens: 9,
        others: [{ model: 'adviser', inputTokens: 3 }],
        cacheTold: { type: 'differs', reason: 'tools_changed', missedTokens: 7 },
        expectedAgeMs: 5,
      };
      const call = buildCall(turn, reply, { usage });
      await store.commitTurn({
        projectId: project.id,
        turnId: turn.id,
        owner: 'owner-1',
        nodes: [reply],
        calls: [{ call, raw: null }],
        renderings: [],
        status: 'complete',
      });
      expect(await (await reopen()).callsOfTurn(project.id, turn.id)).toStrictEqual([call]);
    },
  );

  rule('ST-23', 'history, graph and search carry nothing of raw', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const marker = freshId('marker');
    const { turn, user } = await beginTurn(store, project, branch, null);
    const reply = buildReply(project, user, 'reply', { turnId: turn.id });
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [reply],
      calls: [{ call: buildCall(turn, reply), raw: buildRaw(marker) }],
      renderings: [],
      status: 'complete',
    });
    const read = [
      await store.history(project.id, { tip: reply.id, limit: 10 }),
      await store.graph(project.id),
      await searchAll(store, 'reply', [project.id]),
      await store.callsOfTurn(project.id, turn.id),
    ];
    expect(JSON.stringify(read)).not.toContain(marker);
    expect(await searchIn(store, project, marker)).toStrictEqual([]);
  });

  rule('ST-40', 'statistics count nodes and calls by group; unknown costs are not zero', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const elsewhere = await seedProject(store);
    const provider = freshId('provider');
    const { turn, user } = await beginTurn(store, project, branch, null);
    const reply = (availability: 'full' | 'redacted') =>
      buildReply(project, user, 'r', { turnId: turn.id, provider, thinking: { availability, truncated: false } });
    const replies = [reply('full'), reply('redacted'), reply('full')];
    const usage = { inputTokens: 100, outputTokens: 10, reasoningTokens: 4 };
    const made = [
      buildCall(turn, null, { provider, usage, cost: 0.5 }),
      buildCall(turn, null, { provider, usage: { inputTokens: 1 }, cost: 0.25 }),
      buildCall(turn, null, { provider, usage: null, cost: null }),
      buildCall(turn, null, { provider, usage: null, cost: null, status: 'error', errorCode: 'overloaded' }),
    ];
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: replies,
      calls: made.map((call) => ({ call, raw: null })),
      renderings: [],
    });
    await seedTurn(store, elsewhere.project, elsewhere.branch, null);

    for (const statistics of [await store.statistics(project.id), await store.statistics()]) {
      const availability = statistics.availability.filter((group) => group.provider === provider);
      expect(availability.toSorted((a, b) => (a.availability < b.availability ? -1 : 1))).toStrictEqual([
        { provider, model: 'sim-1', availability: 'full', count: 2 },
        { provider, model: 'sim-1', availability: 'redacted', count: 1 },
      ]);
      const groups = statistics.calls.filter((group) => group.provider === provider);
      const common = { provider, model: 'sim-1' };
      expect(groups.toSorted((a, b) => b.count - a.count)).toStrictEqual([
        {
          ...common,
          status: 'complete',
          errorCode: null,
          purpose: null,
          count: 3,
          inputTokens: 101,
          outputTokens: 10,
          reasoningTokens: 4,
          cost: 0.75,
        },
        {
          ...common,
          status: 'error',
          errorCode: 'overloaded',
          purpose: null,
          count: 1,
          inputTokens: 0,
          outputTokens: 0,
          reasoningTokens: 0,
          cost: null,
        },
      ]);
    }
    expect((await store.statistics(project.id)).calls.every((group) => group.provider === provider)).toBe(true);
    expect((await store.statistics(elsewhere.project.id)).calls.map(({ count }) => count)).toStrictEqual([1]);
  });

  rule('ST-282', 'what a cache gave less than was sent before is counted, by why', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    const expected = { inputTokens: 9_000, outputTokens: 1, expectedCachedTokens: 8_000 };
    const reason = { type: 'differs', reason: 'tools_changed' } as const;
    const usages: readonly Call['usage'][] = [
      { ...expected, cachedInputTokens: 0, cacheTold: reason },
      { ...expected, cachedInputTokens: 1_000, cacheTold: reason },
      { ...expected, cachedInputTokens: 0, expectedAgeMs: 400_000 },
      { ...expected, cachedInputTokens: 0, expectedAgeMs: 1_000, cacheTold: { type: 'same' } },
      // Found, nearly found, not counted, nothing expected.
      { ...expected, cachedInputTokens: 8_000 },
      { ...expected, cachedInputTokens: 7_300 },
      expected,
      { inputTokens: 9_000, outputTokens: 1, cachedInputTokens: 0 },
      null,
    ];
    const calls = usages.map((usage) => ({ call: buildCall(turn, null, { status: 'complete', usage }), raw: null }));
    const nothing = { nodes: [], renderings: [] };
    const commit = {
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      status: 'complete',
      ...nothing,
    } as const;
    await store.commitTurn({ ...commit, calls });
    const { cache } = await store.statistics(project.id);
    const told = cache.map(({ reason: why, count, missedTokens }) => [why, count, missedTokens]);
    expect(told.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toStrictEqual([
      ['expired', 1, 8_000],
      ['tools_changed', 2, 15_000],
      ['unexplained', 1, 8_000],
    ]);
  });
}
