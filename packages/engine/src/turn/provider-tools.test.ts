import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { stageOn, watch } from './testing.ts';

let simulator: Simulator;
let directory: string;
let store: Store;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'provider tools' });
  directory = await mkdtemp(join(tmpdir(), 'bough-provider-tools-'));
  store = await openFilesStore({ directory });
});
beforeEach(() => simulator.clearLog());
afterAll(async () => {
  await store.close();
  await simulator.close();
  await rm(directory, { recursive: true });
});

const kinds = () => simulator.log().map(({ kind }) => kind);

async function said(
  engine: ReturnType<typeof stageOn>['engine'],
  project: Parameters<typeof watch>[1],
  message: string,
) {
  const { turn } = await engine.chat(project, { ref: 'main', message });
  return { turn, lines: await watch(engine, project, turn.id) };
}

it('TL-20: a branch switches tools of its provider on, keeps them in the store, and refuses what is not offered', async () => {
  const { engine } = stageOn(store, simulator.url, {});
  const settings = { allowedDomains: ['example.com'] };
  const { project } = await engine.createProject({
    provider: 'simulated',
    providerTools: [{ tool: 'web_search', settings }],
  });
  const branch = await store.getBranch(project.id, 'main');
  expect(branch.envelope.providerTools).toEqual([{ tool: 'web_search', settings }]);
  await expect(
    engine.createProject({ provider: 'simulated', providerTools: [{ tool: 'image_generation' }] }),
  ).rejects.toMatchObject({ code: 'provider_tool_not_offered' });
  const changed = await engine.changeBranch(project.id, 'main', { providerTools: [] });
  expect(changed.branch.envelope).not.toHaveProperty('providerTools');
});

it('TL-21: a model that lacks one gets a branch without it, and that is told', async () => {
  const { engine } = stageOn(store, simulator.url, {});
  const { project } = await engine.createProject({ provider: 'simulated', providerTools: [{ tool: 'web_search' }] });
  const { branch, notices } = await engine.createBranch(project.id, { name: 'plain', model: 'sim-plain' });
  expect(branch.envelope).not.toHaveProperty('providerTools');
  expect(notices.map(({ code }) => code)).toEqual(['provider_tool_left_out']);
  expect(notices[0]?.message).toMatch(/^web_search is switched off here: .*sim-plain does not offer web_search/);
});

it.each(['simulated', 'simulated_responses', 'simulated_gemini'])(
  'TL-22: what the provider ran goes back as it came (%s)',
  async (provider) => {
    const { engine } = stageOn(store, simulator.url, {});
    const { project } = await engine.createProject({
      provider,
      providerTools: [{ tool: 'web_search' }, { tool: 'code_execution' }],
    });
    const { turn } = await said(engine, project.id, 'What is a tree?');
    const blocks = (await store.nodesOfTurn(project.id, turn.id)).flatMap(({ contentBlocks }) => contentBlocks);
    expect(JSON.stringify(blocks)).toMatch(/web_search|GOOGLE_SEARCH/);
    await said(engine, project.id, 'And a leaf?');
    await said(engine, project.id, 'Thanks.');
    expect(kinds()).toEqual(['accepted', 'accepted', 'accepted']);
  },
);

it('TL-23: a pause of the provider goes on in the same turn', async () => {
  const { engine } = stageOn(store, simulator.url, {});
  const { project } = await engine.createProject({
    provider: 'simulated',
    providerTools: [{ tool: 'web_search' }, { tool: 'code_execution' }],
  });
  const { lines, turn } = await said(engine, project.id, '/sim pause 2 /sim say Done.');
  expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
  expect(kinds()).toEqual(['accepted', 'accepted', 'accepted']);
  expect((await store.callsOfTurn(project.id, turn.id)).length).toBe(3);
  await said(engine, project.id, 'Thanks.');
  expect(kinds().every((kind) => kind === 'accepted')).toBe(true);
});

it.each(['simulated', 'simulated_responses'])(
  'TL-24: an expired container costs one more try in a new one, and the reader is told (%s)',
  async (provider) => {
    const { engine } = stageOn(store, simulator.url, {});
    const { project } = await engine.createProject({ provider, providerTools: [{ tool: 'code_execution' }] });
    await said(engine, project.id, '/sim code print(1)');
    simulator.clearLog();
    const { lines, turn } = await said(engine, project.id, '/sim expire /sim say Again.');
    expect(kinds()).toEqual(['rejected', 'accepted']);
    expect(lines.filter(({ type }) => type === 'notice')).toMatchObject([{ code: 'container_expired' }]);
    expect(lines.filter(({ type }) => type === 'error')).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
    const calls = await store.callsOfTurn(project.id, turn.id);
    expect(calls.map(({ errorCode }) => errorCode)).toEqual(['container_expired', null]);
  },
);

it.each(['simulated', 'simulated_responses'])(
  'TL-25: a container that has expired is not asked for again, by another server either (%s)',
  async (provider) => {
    const { engine } = stageOn(store, simulator.url, {});
    const { project } = await engine.createProject({ provider, providerTools: [{ tool: 'code_execution' }] });
    await said(engine, project.id, '/sim code print(1)');
    await said(engine, project.id, '/sim expire /sim say Again.');
    simulator.clearLog();
    const other = stageOn(store, simulator.url, {}).engine;
    const { lines } = await said(other, project.id, '/sim say Still here.');
    await said(other, project.id, '/sim code print(2)');
    await said(other, project.id, '/sim say Thanks.');
    expect(kinds()).toEqual(['accepted', 'accepted', 'accepted']);
    expect(lines.filter(({ type }) => type === 'notice')).toEqual([]);
  },
);

it('TL-26: a container is remembered as gone only if a request without it helped, or the provider said so', async () => {
  const { engine } = stageOn(store, simulator.url, {});
  const { project } = await engine.createProject({
    provider: 'simulated',
    providerTools: [{ tool: 'code_execution' }],
  });
  await said(engine, project.id, '/sim code print(1)');
  const { lines } = await said(engine, project.id, '/sim fault 500');
  expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'error' });
  const { request } = await engine.previewContext(project.id, { ref: 'main', message: 'Hello.' });
  expect(request.body).toMatch(/"container":"/);
}, 60_000);
