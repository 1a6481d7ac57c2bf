import type { Client, HistoryView } from '@bough/api';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

let simulator: Simulator;
let server: TestServer;
let clock = Date.now();
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'costs', now: () => clock });
  const { url } = simulator;
  server = await startTestServer({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-simulated',
    OPENAI_BASE_URL: `${url}/openai/v1`,
    OPENAI_API_KEY: 'sk-simulated',
    DEEPSEEK_BASE_URL: `${url}/deepseek/v1`,
    DEEPSEEK_API_KEY: 'sk-simulated',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: 'simulated',
  });
});
afterAll(async () => {
  await server.dispose();
  await simulator.close();
});

/** About so many tokens as the simulator counts them. */
const words = (tokens: number): string => 'abcdefg '.repeat(tokens / 2);

/** As long for Bough as for the simulator. */
const prose = (seed: number): string =>
  Array.from({ length: 60 }, (_, at) => `The ${seed + at}th tree stands beside house ${at * 7}.`).join(' ');
/** Within a fifth, or a short message. */
const near = (told = 0, counted = 0): boolean => Math.abs(told - counted) <= Math.max(800, counted / 5);

async function begin(
  provider: string,
  model: string,
  systemPrompt = words(5_000),
): Promise<{ client: Client; id: string }> {
  const { client } = server;
  const { project } = await client.createProject({ provider, model, systemPrompt });
  return { client, id: project.id };
}

type CallView = HistoryView['groups'][number]['calls'][number];

async function send(client: Client, id: string, message: string, ref = 'main'): Promise<CallView> {
  expect(endOf(await say(client, id, ref, message)).status).toBe('complete');
  const { groups } = await client.history(id, { ref });
  const call = groups.at(-1)?.calls.at(-1);
  if (call === undefined) throw new Error('There is no call.');
  return call;
}

const PROTOCOLS = [
  ['anthropic', 'claude-sonnet-5', true],
  ['openai_responses', 'gpt-6-sol', true],
  ['openai', 'gpt-5.4', false],
  ['deepseek', 'deepseek-v4-flash', false],
  ['gemini', 'gemini-3.8-flash', false],
] as const;

describe('what a cache reads, writes and misses, in every protocol', () => {
  it.each(PROTOCOLS)(
    'SV-252: %s: the next message reads the one before, as was estimated',
    async (provider, model, tells) => {
      const { client, id } = await begin(provider, model);
      const first = await send(client, id, words(1_000));
      expect(first.usage?.cachedInputTokens ?? 0).toBe(0);
      expect(first.usage?.expectedCachedTokens).toBeUndefined();
      const { estimate } = await client.context(id, { ref: 'main', message: 'And now?' });
      const second = await send(client, id, 'And now?');
      const { inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = second.usage ?? {};
      const before = first.usage?.inputTokens ?? 0;
      expect(second.usage?.expectedCachedTokens).toBe(before);
      // OpenAI reads in steps of 128 tokens, DeepSeek in steps of 64; a last closing bracket is no token.
      expect(before - cachedInputTokens).toBeLessThan(128);
      expect(second.money).toMatchObject({ missedBecause: null });
      expect(second.money?.missedTokens).toBe(before - cachedInputTokens);
      const { fresh, read, written, answer, reasoning, others } = second.money ?? {};
      const total = [fresh, read, written, answer, reasoning, others].reduce<number>(
        (sum, part) => sum + (part ?? NaN),
        0,
      );
      expect(total).toBeCloseTo(second.cost ?? NaN, 12);
      expect(second.money?.saved).toBeGreaterThan(0);
      if (tells) expect(second.usage?.cacheTold).toEqual({ type: 'same' });
      // The estimate was made before: what the cache has exactly, what is new by Bough's own count.
      expect(estimate.cachedTokens).toBe(before);
      expect(estimate.inputTokens / inputTokens).toBeGreaterThan(0.8);
      expect(estimate.inputTokens / inputTokens).toBeLessThan(1.25);
      expect(estimate.writtenTokens > 0).toBe(cacheWriteTokens > 0);
      expect(estimate.inputCost).toBeGreaterThan(0);
      expect(estimate.mostCost).toBeGreaterThan(estimate.likeLast?.cost ?? NaN);
    },
  );

  it('SV-253: what changes the beginning is missed: told by the provider, expected by nobody, and priced', async () => {
    const { client, id } = await begin('anthropic', 'claude-sonnet-5');
    await send(client, id, 'One.');
    await client.updateBranch(id, 'main', { thinking: 'high' });
    const changed = await send(client, id, 'Two.');
    // Thinking is no part of the messages: Bough expects the cache, and the provider does not say which setting it was.
    expect(changed.usage?.cacheTold).toEqual({ type: 'unknown', reason: 'unavailable' });
    expect(changed.money).toMatchObject({ missedBecause: 'unexplained' });
    expect(changed.money?.missed).toBeGreaterThan(0);
    const { groups } = await client.history(id, { ref: 'main' });
    await client.updateBranch(id, 'main', { choices: { [groups[0]?.reply[0]?.id ?? '']: 'leave_out' } });
    const other = await send(client, id, 'Three.');
    expect(other.usage?.cacheTold).toMatchObject({ type: 'differs', reason: 'messages_changed' });
    expect(other.usage?.expectedCachedTokens).toBeUndefined();
    // Everything before the change is read all the same: the system prompt has a mark of its own.
    expect(other.usage?.cachedInputTokens).toBeGreaterThan(5_000);
    const { cache } = await client.diagnostics();
    expect(cache).toMatchObject([{ provider: 'anthropic', reason: 'unexplained', count: 1 }]);
  });

  it('SV-495: a conversation that is too short for the cache of its provider is no finding', async () => {
    const { client } = server;
    // Longer than what is too small to be told, shorter than what is cached.
    const { project } = await client.createProject({
      provider: 'anthropic',
      model: 'claude-sonnet-5',
      systemPrompt: words(600),
    });
    const first = await send(client, project.id, 'One.');
    expect(first.usage?.inputTokens).toBeGreaterThan(500);
    const second = await send(client, project.id, 'Two.');
    expect(second.usage?.cachedInputTokens).toBe(0);
    expect(second.usage?.expectedCachedTokens).toBeUndefined();
    expect(second.money).toMatchObject({ missedTokens: null, missedBecause: null });
  });

  it.each([
    ['anthropic', 'claude-sonnet-5'],
    ['openai_responses', 'gpt-6-sol'],
  ])('SV-919: %s: leaving out far back costs what was told and is no finding; nor is taking it back', async (...of) => {
    const { client, id } = await begin(...of, prose(0) + prose(1));
    for (let turn = 0; turn < 14; turn += 1) await send(client, id, `${turn}. ${prose(turn)} /sim say ${prose(turn)}`);
    const { groups } = await client.history(id, { ref: 'main', limit: 50 });
    const chosen = groups[6]?.reply.at(-1)?.id ?? '';
    for (const choice of ['leave_out', null] as const) {
      const choices = { [chosen]: choice };
      const told = await client.context(id, { ref: 'main', choices });
      await client.updateBranch(id, 'main', { choices });
      const { usage, money } = await send(client, id, 'And now?');
      const { inputTokens = 0, cachedInputTokens: read = 0 } = usage ?? {};
      expect(near(told.effect?.rewrittenTokens, inputTokens - read)).toBe(true);
      expect(near(told.estimate.cachedTokens, read)).toBe(true);
      expect(money?.missedBecause).toBe(null);
    }
  });

  it('SV-920: what follows a reply of many blocks reads everything before that reply, on a fork behind it, too', async () => {
    const { client, id } = await begin('anthropic', 'claude-sonnet-5');
    await send(client, id, `${prose(1)} /sim say One.`);
    const long = await send(client, id, '/sim think 25');
    const { groups } = await client.history(id, { ref: 'main' });
    await client.createBranch(id, { name: 'fork', fromRef: 'main', fromNodeId: groups.at(-1)?.reply.at(-1)?.id ?? '' });
    for (const ref of ['main', 'main', 'fork']) {
      const { usage, money } = await send(client, id, 'And now?', ref);
      expect(usage?.cachedInputTokens).toBeGreaterThan((long.usage?.inputTokens ?? 0) - 128);
      expect(money?.missedBecause).toBe(null);
    }
  });

  it('SV-919: on a fork behind a summary nothing is expected that only the messages before it were sent with', async () => {
    const { client, id } = await begin('anthropic', 'claude-sonnet-5', prose(0) + prose(1));
    for (const turn of [0, 1, 2]) await send(client, id, `${turn}. ${prose(turn)} /sim say Yes.`);
    const { groups } = await client.history(id, { ref: 'main' });
    const [, first, second] = groups.map(({ reply }) => reply.at(-1)?.id ?? '');
    const { branch } = await client.compact(id, { ref: 'main', upTo: first });
    await send(client, id, '/sim say One.', branch.id);
    await client.createBranch(id, { name: 'fork', fromRef: branch.id, fromNodeId: second });
    expect((await send(client, id, '/sim say Two.', 'fork')).money?.missedBecause).toBe(null);
  });

  it('SV-919: what a model was sent before others answered is expected on every fork behind their answers', async () => {
    const { client, id } = await begin('anthropic', 'claude-sonnet-5', prose(0) + prose(1));
    for (const turn of [0, 1]) await send(client, id, `${turn}. ${prose(turn)} /sim say Yes.`);
    await client.createBranch(id, { name: 'there', fromRef: 'main', provider: 'deepseek', model: 'deepseek-v4-flash' });
    await send(client, id, '/sim say Other words.', 'there');
    const back = { fromRef: 'there', provider: 'anthropic', model: 'claude-sonnet-5' };
    for (const name of ['back', 'again', 'once more']) {
      const { branch } = await client.createBranch(id, { name, ...back });
      const { usage, money } = await send(client, id, `/sim say ${name}`, branch.id);
      expect(near(usage?.expectedCachedTokens, usage?.cachedInputTokens)).toBe(true);
      expect(usage?.expectedCachedTokens).toBeGreaterThan(2_000);
      expect(money?.missedBecause).toBe(null);
    }
  });

  it('SV-254: a switch there and back, and another reply, read what was sent before; both are estimated', async () => {
    const { client, id } = await begin('openai_responses', 'gpt-6-sol');
    const first = await send(client, id, words(1_000));
    const { groups } = await client.history(id, { ref: 'main' });
    const reply = groups.at(-1)?.reply.at(-1)?.id ?? '';
    const again = await client.context(id, { ref: 'main', regenerate: reply });
    expect(again.estimate.cachedTokens).toBe(first.usage?.inputTokens);
    const target = { provider: 'anthropic', model: 'claude-sonnet-5' };
    const there = await client.context(id, { ref: 'main', target });
    expect(there.estimate).toMatchObject({ cachedTokens: 0 });
    expect(there.estimate.writtenTokens).toBe(there.estimate.inputTokens);
  });
});

describe('what was spent', () => {
  it('SV-255: by day, project and model, as rows and as CSV, with unknown prices apart; and by branch', async () => {
    const { client } = server;
    const { project } = await client.createProject({
      provider: 'anthropic',
      model: 'claude-fable-5-2',
      name: 'a, "b"',
    });
    const unknown = await send(client, project.id, 'Hello.');
    expect(unknown).toMatchObject({ cost: null, money: null });
    const { rows } = await client.costs({ project: project.id, by: 'day,project' });
    const day = new Date().toISOString().slice(0, 10);
    expect(rows).toMatchObject([
      { day, projectName: 'a, "b"', client: null, model: 'claude-fable-5-2', calls: 1, cost: null, unpriced: 1 },
    ]);
    const { estimate } = await client.context(project.id, { ref: 'main' });
    expect(estimate).toMatchObject({ inputCost: null, mostCost: null, priceAsOf: null });
    const csv = await client.costsCsv({ project: project.id, by: 'day,project' });
    expect(csv.split('\r\n')[1]).toMatch(
      /^\d{4}-\d\d-\d\d,[^,]+,"a, ""b""",,anthropic,claude-fable-5-2,1,\d+,0,0,\d+,\d+,,1,0$/,
    );
    const priced = await begin('anthropic', 'claude-sonnet-5');
    const one = await send(client, priced.id, 'One.');
    const two = await send(client, priced.id, 'Two.');
    const sum = (one.cost ?? NaN) + (two.cost ?? NaN);
    const [all] = (await client.costs({ project: priced.id })).rows;
    expect(all?.cost).toBeCloseTo(sum, 12);
    const [branch] = (await client.branchCosts(priced.id, 'main')).rows;
    expect(branch).toMatchObject({ calls: 2, model: 'claude-sonnet-5' });
    expect(branch?.cost).toBeCloseTo(sum, 12);
    // The same long system prompt was sent in another project: the first message reads it already.
    expect(one.usage?.cachedInputTokens).toBeGreaterThan(4_900);
    expect(branch?.cachedInputTokens).toBe(
      (one.usage?.cachedInputTokens ?? NaN) + (two.usage?.cachedInputTokens ?? NaN),
    );
    expect((await client.costs({ from: '2100-01-01' })).rows).toEqual([]);
    for (const wrong of [{ by: 'week' }, { from: '2026-13-01' }, { until: '2026-02-30' }])
      await expect(client.costs(wrong)).rejects.toMatchObject({ status: 422 });
  });

  it('SV-829: a summary is told to cost what it does, is checked against its cache, and counts for its branch', async () => {
    const { client, id } = await begin('anthropic', 'claude-sonnet-5');
    const first = await send(client, id, words(1_000));
    const second = await send(client, id, 'And now?');
    const preview = await client.compaction(id, { ref: 'main' });
    const answer = preview.summaryTokens * 10;
    // Two dollars a million, and a quarter more for what is written to the cache.
    expect(preview.cost).toBeCloseTo((preview.requestTokens * 2.5 + answer) / 1_000_000, 9);
    expect(preview.cachedCost).toBeGreaterThan(answer / 1_000_000);
    expect(preview.cachedCost).toBeLessThan((preview.requestTokens * 0.3 + answer) / 1_000_000);
    const { branch } = await client.compact(id, { ref: 'main' });
    const calls = (await client.summary(id, branch.id)).summary?.calls ?? [];
    expect(calls).toHaveLength(1);
    expect(calls[0]?.usage?.expectedCachedTokens).toBe(second.usage?.inputTokens);
    expect(calls[0]?.money).toMatchObject({ missedBecause: null });
    const sum = [first, second, ...calls].reduce((total, { cost }) => total + (cost ?? NaN), 0);
    const [costs] = (await client.branchCosts(id, branch.id)).rows;
    expect(costs).toMatchObject({ calls: 3 });
    expect(costs?.cost).toBeCloseTo(sum, 12);
  });

  it('SV-256: a cache that has expired is expected by nobody’s fault: the finding says so', async () => {
    const { client, id } = await begin('anthropic', 'claude-sonnet-5');
    await send(client, id, 'One.');
    clock += 6 * 60_000;
    const late = await send(client, id, 'Two.');
    expect(late.usage).toMatchObject({ cachedInputTokens: 0, cacheTold: { type: 'same' } });
    expect(late.money?.missedTokens).toBe(late.usage?.expectedCachedTokens);
  });
});
