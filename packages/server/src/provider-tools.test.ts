import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recorder } from './testing/recorder.ts';
import { startRecorder } from './testing/recorder.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

let simulator: Simulator;
let recorder: Recorder;
let server: TestServer;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 'provider tools over HTTP' });
  recorder = await startRecorder(simulator.url);
});
afterEach(async () => {
  await server.dispose();
  await recorder.close();
  await simulator.close();
});

const start = async (store = 'files'): Promise<TestServer> =>
  (server = await startTestServer(
    { BOUGH_STORE: store, ANTHROPIC_API_KEY: 'sk-test-key', OPENAI_API_KEY: 'sk-test-key' },
    { providers: { anthropic: { baseUrl: recorder.url }, openai_responses: { baseUrl: `${recorder.url}/v1` } } },
  ));

const search = { tool: 'web_search' as const, settings: { allowedDomains: ['example.com'], maxUses: 2 } };
const code = { tool: 'code_execution' as const };
type Asked = { readonly tools?: readonly object[]; readonly container?: string };
const asked = (): readonly Asked[] => recorder.bodies().map((body) => JSON.parse(body) as Asked);
const types = (): readonly string[] => asked().map(({ tools = [] }) => JSON.stringify(tools));

describe('tools that the provider runs itself, over HTTP', () => {
  it.each(['files', 'git', 'postgres'])(
    'SV-110: an envelope with them reaches the provider, is kept, forked and switched off, on %s',
    async (store) => {
      const { client } = await start(store);
      const { project, branch } = await client.createProject({ provider: 'anthropic', providerTools: [search] });
      expect(branch.providerTools).toEqual([search]);
      expect(endOf(await say(client, project.id, 'main', '/sim search elms')).status).toBe('complete');
      const fork = (await client.createBranch(project.id, { fromRef: 'main', providerTools: [code] })).branch;
      expect(fork.providerTools).toEqual([code]);
      const again = await server.restart();
      server = again;
      const { branches } = await again.client.listBranches(project.id);
      expect(branches.map(({ providerTools }) => providerTools)).toEqual([[search], [code]]);
      expect(endOf(await say(again.client, project.id, 'main', 'Thanks.')).status).toBe('complete');
      const { branch: plain } = await again.client.updateBranch(project.id, 'main', { providerTools: [] });
      expect(plain.providerTools).toEqual([]);
      expect(endOf(await say(again.client, project.id, 'main', 'And now?')).status).toBe('complete');
      const wanted = JSON.stringify([
        { type: 'web_search_20250305', name: 'web_search', max_uses: 2, allowed_domains: ['example.com'] },
      ]);
      expect(types()).toEqual([wanted, wanted, '[]']);
      expect(simulator.log().map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    },
  );

  it('SV-110: what a model does not offer, and what does not go together, is refused with a sentence', async () => {
    const { client } = await start();
    const refused = (message: RegExp) => ({
      status: 422,
      code: 'provider_tool_not_offered',
      message: expect.stringMatching(message),
    });
    await expect(
      client.createProject({ provider: 'anthropic', providerTools: [{ tool: 'image_generation' }] }),
    ).rejects.toMatchObject(refused(/does not offer image_generation/));
    const { project } = await client.createProject({ provider: 'anthropic' });
    const both = { allowedDomains: ['a.org'], blockedDomains: ['b.org'] };
    await expect(
      client.updateBranch(project.id, 'main', { providerTools: [{ tool: 'web_search', settings: both }] }),
    ).rejects.toMatchObject(refused(/not both/));
    const { providers } = await client.listProviders();
    const offered = providers.find(({ id }) => id === 'anthropic')?.models[0]?.providerTools ?? [];
    expect(offered.map(({ tool }) => tool)).toContain('web_search');
    expect(recorder.bodies()).toEqual([]);
  });

  it.each(['anthropic', 'openai_responses'])(
    'SV-111: a container that has expired is named once, told once, and never again (%s)',
    async (provider) => {
      const { client } = await start();
      const { project } = await client.createProject({ provider, providerTools: [code] });
      await say(client, project.id, 'main', '/sim code print(1)');
      const lines = await say(client, project.id, 'main', '/sim expire /sim say Again.');
      expect(lines.filter(({ type }) => type === 'notice')).toMatchObject([{ code: 'container_expired' }]);
      expect(endOf(lines).status).toBe('complete');
      simulator.clearLog();
      const again = await server.restart();
      server = again;
      const later = await say(again.client, project.id, 'main', '/sim say Once more.');
      expect(later.filter(({ type }) => type === 'notice')).toEqual([]);
      expect(simulator.log().map(({ kind }) => kind)).toEqual(['accepted']);
    },
  );

  it('SV-823: a summary is made, too, where the container of its conversation has expired', async () => {
    const { client } = await start();
    const { project } = await client.createProject({ provider: 'openai_responses', providerTools: [code] });
    await say(client, project.id, 'main', '/sim code print(1)');
    const instruction = '/sim expire /sim say All of it.';
    const { branch } = await client.compact(project.id, { ref: 'main', instruction });
    const { summary } = await client.summary(project.id, branch.id);
    expect(summary?.text).toBe('All of it.');
    expect(summary?.calls.map(({ errorCode }) => errorCode)).toEqual(['container_expired', null]);
    expect(endOf(await say(client, project.id, branch.id, '/sim say Go on.')).status).toBe('complete');
    // The old branch knows by now that it is gone.
    const later = await say(client, project.id, 'main', '/sim say Once more.');
    expect(later.filter(({ type }) => type === 'notice')).toEqual([]);
    expect(endOf(later).status).toBe('complete');
  });
});
