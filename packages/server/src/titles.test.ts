import { TITLE_INSTRUCTIONS } from '@bough/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { STORES, useServers } from './testing/on-each-store.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

type Client = TestServer['client'];
const MODEL = { provider: 'simulated', model: 'sim-thinker' };

const nameOf = async (client: Client, project: string): Promise<string> =>
  (await client.getProject(project)).project.name;
const titleCalls = async (client: Client): Promise<number> =>
  (await client.diagnostics()).calls
    .filter(({ purpose }) => purpose === 'title')
    .reduce((sum, { count }) => sum + count, 0);

const serverOn = useServers();

describe.each(STORES)('on %s', (store) => {
  it('EN-122: a chosen model writes the title after the first reply, once, and it costs what it costs', async () => {
    const { client } = serverOn(store);
    await client.setTitleModel(MODEL);
    expect(await client.titleModel()).toStrictEqual({ model: MODEL });
    const { project } = await client.createProject({});
    await say(client, project.id, 'main', '# Why is the sky blue? /sim title "The colour of the sky."');
    await expect.poll(() => nameOf(client, project.id)).toBe('The colour of the sky');
    const calls = (await client.diagnostics()).calls.filter(({ purpose }) => purpose === 'title');
    expect(calls).toMatchObject([{ ...MODEL, status: 'complete', count: 1 }]);
    expect(calls[0]?.outputTokens).toBeGreaterThan(0);
    await say(client, project.id, 'main', 'And at night?');
    // Not part of the conversation: neither in its history nor in what is sent of it.
    const { groups } = await client.history(project.id, { ref: 'main' });
    expect(groups).toHaveLength(2);
    const { request } = await client.context(project.id, { ref: 'main' });
    expect(request.body).not.toContain(TITLE_INSTRUCTIONS.slice(0, 30));
    expect((await client.listBranches(project.id)).branches).toMatchObject([{ runningTurnId: null }]);
    expect(await titleCalls(client)).toBe(1);
    await client.setTitleModel(null);
    expect(await client.titleModel()).toStrictEqual({ model: null });
  });
});

describe('titles', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.dispose());

  it('EN-120: without a model the first line is the name, at once', async () => {
    const { client } = server;
    await client.setTitleModel(null);
    const { project } = await client.createProject({});
    const before = await titleCalls(client);
    await say(client, project.id, 'main', '- **Why** is `the` sky blue?\n\nIn detail, please.');
    expect(await nameOf(client, project.id)).toBe('Why is the sky blue?');
    expect(await titleCalls(client)).toBe(before);
  });

  it('EN-123: a name that a person gave stays, also one given while the title is written', async () => {
    const { client } = server;
    await client.setTitleModel(MODEL);
    const { project: named } = await client.createProject({ name: 'Mine' });
    const { project: renamed } = await client.createProject({});
    const before = await titleCalls(client);
    await say(client, named.id, 'main', 'Hello /sim title Theirs');
    await say(client, renamed.id, 'main', 'Hello again /sim title fault stall 1 2500');
    // By now it is being written.
    await new Promise((resolve) => setTimeout(resolve, 800));
    await client.updateProject(renamed.id, { name: 'Mine too' });
    await expect.poll(() => titleCalls(client)).toBeGreaterThan(before);
    expect(await nameOf(client, renamed.id)).toBe('Mine too');
    expect(await nameOf(client, named.id)).toBe('Mine');
  });

  it('EN-124: a title that fails disturbs nothing, and is tried again after the next replies, three times', async () => {
    const { client } = server;
    await client.setTitleModel(MODEL);
    const { project } = await client.createProject({});
    const before = await titleCalls(client);
    const message = 'A question /sim title fault 400';
    expect(endOf(await say(client, project.id, 'main', message)).status).toBe('complete');
    const name = await nameOf(client, project.id);
    expect(name).toContain('A question');
    await expect.poll(() => titleCalls(client)).toBe(before + 1);
    for (const count of [2, 3, 3]) {
      expect(endOf(await say(client, project.id, 'main', 'Go on')).status).toBe('complete');
      await expect.poll(() => titleCalls(client)).toBe(before + count);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await titleCalls(client)).toBe(before + 3);
    expect(await nameOf(client, project.id)).toBe(name);
    expect(server.logged().filter((line) => line.includes('"title"'))).toStrictEqual([]);
  });

  it('EN-125: two servers that could both write a title write one', async () => {
    const one = await startTestServer({ BOUGH_STORE: 'postgres' });
    onTestFinished(one.dispose);
    const other = await startTestServer({ BOUGH_STORE: 'postgres' }, undefined, one.dataDir);
    onTestFinished(async () => void (await other.stop()));
    await one.client.setTitleModel(MODEL);
    for (let round = 1; round <= 3; round += 1) {
      const { project } = await one.client.createProject({});
      await one.client.createBranch(project.id, { name: 'second', empty: true });
      const message = `Round ${round} /sim title Both`;
      await Promise.all([
        say(one.client, project.id, 'main', message),
        say(other.client, project.id, 'second', message),
      ]);
      await expect.poll(() => nameOf(other.client, project.id)).toBe('Both');
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await titleCalls(one.client)).toBe(round);
    }
  });

  it('EN-127: a title model that does not exist is refused; one that is gone leaves the first line', async () => {
    const { client } = server;
    await expect(client.setTitleModel({ provider: 'nobody', model: 'm' })).rejects.toMatchObject({
      code: 'unknown_provider',
    });
    // No key for it: nothing can be sent.
    const vendor = (await client.listProviders()).providers.find(({ ready, simulated }) => !ready && !simulated);
    await client.setTitleModel({ provider: vendor?.id ?? '', model: vendor?.defaultModel ?? '' });
    const { project } = await client.createProject({});
    expect(endOf(await say(client, project.id, 'main', 'Hello there')).status).toBe('complete');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await nameOf(client, project.id)).toBe('Hello there');
  });
});
