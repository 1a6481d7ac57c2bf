import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttachedBlock } from '@bough/core';
import type { Deployment } from '@bough/providers';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stageOn, watch } from './testing.ts';

let simulator: Simulator;
let directory: string;
let store: Store;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'files for containers' });
  directory = await mkdtemp(join(tmpdir(), 'bough-bring-files-'));
  store = await openFilesStore({ directory });
});
afterAll(async () => {
  await store.close();
  await simulator.close();
  await rm(directory, { recursive: true });
});

async function file(name: string, text: string): Promise<AttachedBlock> {
  const bytes = new TextEncoder().encode(text);
  const { hash, size } = await store.blobs.put(
    (async function* () {
      await Promise.resolve();
      yield bytes;
    })(),
    { limit: 1_000 },
  );
  const stored = { hash, size, mediaType: 'text/plain' };
  return { type: 'file', name, file: stored, text: { ...stored, characters: text.length } };
}

/** Code runs in a conversation with these files; then its container is gone. */
async function loss(
  provider: string,
  files: readonly AttachedBlock[],
  {
    change,
    code = 'print(1)',
  }: { readonly change?: (deployment: Deployment) => Deployment; readonly code?: string } = {},
) {
  const { engine } = stageOn(store, simulator.url, change === undefined ? {} : { change });
  const { project } = await engine.createProject({ provider, providerTools: [{ tool: 'code_execution' }] });
  const said = async (message: Parameters<typeof engine.chat>[1]['message']) => {
    const { turn } = await engine.chat(project.id, { ref: 'main', message });
    return watch(engine, project.id, turn.id);
  };
  await said([{ type: 'text', text: `/sim code ${code}` }, ...files]);
  simulator.clearLog();
  const lines = await said('/sim expire /sim code ls');
  expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
  const notices = lines.filter((line) => line.type === 'notice');
  const body = async () => (await engine.previewContext(project.id, { ref: 'main', message: 'Next.' })).request.body;
  return { notices, seen: JSON.stringify(lines), said, body };
}

function without(deployment: Deployment): Deployment {
  const { filesApi, ...rest } = deployment;
  return filesApi === undefined ? deployment : rest;
}
const elsewhere = (deployment: Deployment): Deployment =>
  deployment.filesApi === undefined
    ? deployment
    : { ...deployment, filesApi: { ...deployment.filesApi, url: (baseUrl) => `${baseUrl}/nothing/here` } };

it.each(['simulated', 'simulated_responses'])(
  'TL-40: a new container has the files that were attached, and those that code made (%s)',
  async (provider) => {
    const { notices, seen } = await loss(provider, [await file('a.txt', 'a')], { code: 'plot(1)' });
    // Only one of them hands out the picture that the code made.
    const made = provider === 'simulated' ? [] : [expect.stringMatching(/\.png$/)];
    expect(notices).toMatchObject([{ code: 'container_expired', brought: ['a.txt', ...made], missing: [] }]);
    expect(seen).toContain(`a.txt ${(await file('a.txt', 'a')).file.hash}`);
  },
);

it.each([
  ['simulated', 'takes none', without],
  ['simulated_responses', 'takes none', without],
  ['simulated', 'refuses them', elsewhere],
  ['simulated_responses', 'refuses them', elsewhere],
])('TL-42: %s: the turn goes on without files, and says so, where the provider %s', async (provider, _, change) => {
  const { notices, said } = await loss(provider, [await file('a.txt', 'a'), await file('b.txt', 'b')], { change });
  expect(notices).toMatchObject([{ code: 'container_expired', brought: [], missing: ['a.txt', 'b.txt'] }]);
  expect(notices[0]?.message).toContain('These files could not be brought: a.txt, b.txt.');
  expect(simulator.log().map(({ kind }) => kind)).toEqual(['rejected', 'accepted']);
  expect((await said('/sim say Thanks.')).at(-1)).toMatchObject({ type: 'done', status: 'complete' });
});

it('TL-43: each file is given once, under a name of its own that every container takes', async () => {
  const files = [await file('a/b?.txt', '1'), await file('a/b?.txt', '2'), await file('copy.txt', '1')];
  const { notices, seen } = await loss('simulated', files);
  expect(notices).toMatchObject([{ brought: ['a_b_.txt', '2-a_b_.txt'], missing: [] }]);
  expect(seen).toContain('2-a_b_.txt ');
});

it('TL-43: files that the provider itself objects to stay behind, the others come along', async () => {
  const { notices } = await loss('simulated_responses', [await file('empty.txt', ''), await file('full.txt', 'x')]);
  expect(notices).toMatchObject([{ brought: ['full.txt'], missing: ['empty.txt'] }]);
});

it.each(['simulated', 'simulated_responses'])(
  'TL-44: files that the provider lost are no longer named, and the conversation goes on (%s)',
  async (provider) => {
    const { said, body } = await loss(provider, [await file('a.txt', 'a')]);
    const [id = ''] = /file[-_]\w{16,}/.exec(await body()) ?? [];
    const headers = provider === 'simulated' ? { 'anthropic-version': '2023-06-01' } : {};
    expect((await fetch(`${simulator.url}/v1/files/${id}`, { method: 'DELETE', headers })).status).toBe(200);
    simulator.clearLog();
    const lines = await said('/sim say Still here.');
    expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
    expect(lines.filter(({ type }) => type === 'notice')).toMatchObject([{ code: 'container_files_gone' }]);
    expect(simulator.log().map(({ kind }) => kind)).toEqual(['rejected', 'accepted']);
  },
);
