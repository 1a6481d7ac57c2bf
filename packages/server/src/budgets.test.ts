import { ApiError } from '@bough/api';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

async function start(file?: unknown, env: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const server = await startTestServer(env, file);
  onTestFinished(server.dispose);
  return server;
}

const problemOf = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => null,
    (refused: unknown) => refused,
  );
  if (error instanceof ApiError) return error;
  throw new Error('It was not refused.');
};

describe('budgets of Bough itself', () => {
  it('SV-170: a message beyond a budget is refused with what to do; said to go on, it is answered', async () => {
    const server = await start({ budgets: { daily: { tokens: 1 } } });
    const { client } = server;
    const { project } = await client.createProject({});
    await say(client, project.id, 'main', 'Hello');
    const refused = await problemOf(client.chat(project.id, { ref: 'main', message: 'Again' }));
    expect(refused).toMatchObject({
      status: 402,
      code: 'over_budget',
      extra: { budget: 'daily', limit: 1, unit: 'tokens' },
    });
    expect(refused.message).toMatch(
      /^The budget "daily" is used up: [\d,]+ of 1 tokens today\. .* configuration file of/,
    );
    // Nothing of it was stored.
    expect((await client.history(project.id, { ref: 'main' })).groups).toHaveLength(1);
    for (const more of [
      () => client.regenerate(project.id, { ref: 'main' }),
      () => client.continueTurn(project.id, { ref: 'main' }),
    ])
      expect([402, 409]).toContain((await problemOf(more())).status);
    const said = await say(client, project.id, 'main', 'Again', { overBudget: true });
    expect(endOf(said)).toMatchObject({ status: 'complete' });
    const { turns } = await client.regenerate(project.id, { ref: 'main', overBudget: true });
    expect(turns).toHaveLength(1);
    const metrics = await (await fetch(`${server.url}/api/metrics`)).text();
    expect(metrics).toContain('bough_budgets_total{budget="daily",outcome="refused"} 2');
    expect(metrics).toContain('bough_budgets_total{budget="daily",outcome="exceeded"} 2');
  });

  it('SV-170: a message that was admitted is not refused when it is sent again', async () => {
    const { client } = await start({ budgets: { daily: { tokens: 1 } } });
    const { project } = await client.createProject({});
    const first = await say(client, project.id, 'main', 'Hello', { clientRequestId: 'once' });
    const again = await say(client, project.id, 'main', 'Hello', { clientRequestId: 'once' });
    expect(again.at(-1)).toEqual(first.at(-1));
  });

  it('SV-171: what was used is known after a restart, and after what used it was deleted', async () => {
    const server = await start({ budgets: { daily: { tokens: 1 }, money: { usd: 5, client: 'bough', per: 'month' } } });
    const { project } = await server.client.createProject({});
    await say(server.client, project.id, 'main', 'Hello');
    await server.client.deleteProject(project.id);
    await server.stop();
    const { client } = await server.restart();
    const { budgets } = await client.listBudgets();
    expect(budgets).toMatchObject([
      { name: 'daily', from: 'file', unit: 'tokens', uses: [{ level: 'over', uncounted: 0 }] },
      { name: 'money', unit: 'usd', uses: [{ used: 0, level: 'ok', unpriced: [], client: 'bough' }] },
    ]);
    const other = await client.createProject({});
    const refused = await problemOf(client.chat(other.project.id, { ref: 'main', message: 'x' }));
    expect(refused.code).toBe('over_budget');
  });

  it('SV-172: budgets are set and removed over the API; the file decides where both have one', async () => {
    const server = await start({ budgets: { fixed: { tokens: 7, project: '*' } } });
    const { client } = server;
    await client.setBudget('mine', { usd: 2.5, per: 'month', warnAt: 0.5 });
    const { budgets, locked } = await client.listBudgets();
    expect(locked).toBe(false);
    expect(budgets).toMatchObject([
      { name: 'fixed', from: 'file', uses: [] },
      { name: 'mine', from: 'page', limit: 2.5, entry: { usd: 2.5, per: 'month', warnAt: 0.5 } },
    ]);
    expect(budgets[1]?.endsAt).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
    const file: unknown = JSON.parse(await readFile(join(server.dataDir, 'page.config.json'), 'utf8'));
    expect(file).toMatchObject({ budgets: { mine: { usd: 2.5 } } });
    expect(await problemOf(client.setBudget('fixed', { tokens: 1 }))).toMatchObject({ code: 'set_in_file' });
    expect(await problemOf(client.deleteBudget('fixed'))).toMatchObject({ code: 'set_in_file' });
    expect(await problemOf(client.deleteBudget('nobody'))).toMatchObject({ status: 404 });
    for (const wrong of [{}, { usd: 1, tokens: 1 }, { usd: -1 }, { tokens: 1.5 }, { usd: 1, warnAt: 2 }])
      expect((await problemOf(client.setBudget('wrong', wrong))).status, JSON.stringify(wrong)).toBe(422);
    expect((await problemOf(client.setBudget('a/b', { usd: 1 }))).status).toBe(422);
    await client.deleteBudget('mine');
    expect((await client.listBudgets()).budgets.map(({ name }) => name)).toEqual(['fixed']);
  });

  it('SV-172: what counts in a project is told for it alone; a locked server changes nothing', async () => {
    const { client } = await start({}, { BOUGH_PAGE_SETTINGS: 'locked' });
    expect(await problemOf(client.setBudget('x', { usd: 1 }))).toMatchObject({ code: 'settings_locked' });
    const server = await start();
    const { project } = await server.client.createProject({ name: 'Mine' });
    const other = await server.client.createProject({});
    await server.client.setBudget('each', { project: '*', tokens: 1_000_000 });
    await server.client.setBudget('other', { project: other.project.id, tokens: 1 });
    await server.client.setBudget('elsewhere', { client: 'codex', tokens: 1 });
    await say(server.client, project.id, 'main', 'Hello');
    const { budgets } = await server.client.listBudgets({ project: project.id });
    expect(budgets).toMatchObject([{ name: 'each', uses: [{ projectId: project.id, projectName: 'Mine' }] }]);
    const { project: named } = await server.client.createProject({ name: 'Quiet' });
    const quiet = await server.client.listBudgets({ project: named.id });
    expect(quiet.budgets).toMatchObject([{ name: 'each', uses: [{ used: 0, level: 'ok' }] }]);
  });

  it('SV-173: no title is written beyond a budget: nobody can be asked', async () => {
    const server = await start({ budgets: { daily: { tokens: 1 } } });
    await server.client.setTitleModel({ provider: 'simulated', model: 'sim-plain' });
    const { project } = await server.client.createProject({});
    await say(server.client, project.id, 'main', 'Hello there, my friend');
    const refused = 'bough_budgets_total{budget="daily",outcome="refused"} 1';
    const metrics = async (): Promise<string> => (await fetch(`${server.url}/api/metrics`)).text();
    await expect.poll(metrics, { timeout: 10_000 }).toContain(refused);
    expect((await server.client.diagnostics()).calls.map(({ purpose }) => purpose)).toEqual([null]);
  });
});
