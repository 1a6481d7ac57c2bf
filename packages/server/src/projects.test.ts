import { schemas } from '@bough/api';
import type { Branch } from '@bough/core';
import { branchId, createNode, nodeId, projectId } from '@bough/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';
import { branchView, nodeView } from './views/index.ts';

let server: TestServer;
const NAMES = Array.from({ length: 12 }, (_, index) => `Project ${index}`);

beforeAll(async () => {
  server = await startTestServer();
  for (const name of NAMES) {
    const { project } = await server.client.createProject({ name });
    if (name.endsWith('3')) await server.client.updateProject(project.id, { archived: true });
  }
});
afterAll(() => server.dispose());

describe('listing projects', () => {
  const list = async (query: Parameters<TestServer['client']['listProjects']>[0]) => {
    const { projects, total } = await server.client.listProjects(query);
    return [projects.map(({ name }) => name), total];
  };

  it('AP-30: without a limit a hundred come, the last used first; one is found by the beginning of its id', async () => {
    expect(await list({})).toEqual([NAMES.toReversed(), 12]);
    const own = await startTestServer();
    onTestFinished(own.dispose);
    const made: string[] = [];
    for (let at = 0; at <= 100; at += 1) made.push((await own.client.createProject({ name: `${at}` })).project.id);
    const { projects, total } = await own.client.listProjects();
    expect([projects.length, total, projects[0]?.name]).toEqual([100, 101, '100']);
    const [first = ''] = made;
    expect((await own.client.listProjects({ id: first.slice(0, -4) })).projects.map(({ id }) => id)).toEqual([first]);
    expect((await own.client.listProjects({ id: 'nothing' })).total).toBe(0);
  });

  it('AP-7: a page says how many there are, and holds only its own', async () => {
    expect(await list({ limit: 2, offset: 1 })).toEqual([['Project 10', 'Project 9'], 12]);
    expect(await list({ limit: 2, offset: 12 })).toEqual([[], 12]);
    expect(await list({ limit: 2, archived: false, offset: 7 })).toEqual([['Project 4', 'Project 2'], 11]);
    expect(await list({ archived: true })).toEqual([['Project 3'], 1]);
    expect(await list({ search: ' PROJECT 1 ', limit: 2 })).toEqual([['Project 11', 'Project 10'], 3]);
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'offset=-1',
    'offset=1e400',
    'archived=maybe',
    'pinned=maybe',
    `folder=${'a'.repeat(201)}`,
    `search=${'a'.repeat(201)}`,
  ])('AP-7: a query that cannot be meant is refused: %s', async (query) => {
    const response = await fetch(`${server.url}/api/projects?${query}`);
    expect(response.status).toBe(422);
  });
});

it('SV-65: a project is pinned and filed by a patch, found by that, and moves up when it is used', async () => {
  const own = await startTestServer();
  onTestFinished(own.dispose);
  const { client } = own;
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => client.createProject({ name })));
  if (a === undefined || b === undefined || c === undefined) throw new Error('There are three.');
  const names = async (query: Parameters<typeof client.listProjects>[0]) =>
    (await client.listProjects(query)).projects.map(({ name }) => name);
  const { project } = await client.updateProject(a.project.id, { pinned: true });
  expect(project).toMatchObject({ pinned: true, folder: null });
  await client.updateProject(b.project.id, { folder: 'Work' });
  expect(await names({ pinned: true })).toEqual(['a']);
  expect(await names({ pinned: false, folder: '' })).toEqual(['c']);
  expect(await names({ folder: 'Work' })).toEqual(['b']);
  expect((await client.listProjects({ limit: 1 })).folders).toEqual([{ name: 'Work', unpinned: 1 }]);
  await (await client.chat(b.project.id, { ref: 'main', message: '/sim say hello' })).text();
  const [first] = (await client.listProjects({})).projects;
  const { branches } = await client.getProject(b.project.id);
  expect(first).toMatchObject({ name: 'b', lastUsedAt: branches[0]?.lastUsedAt });
  expect((first?.lastUsedAt ?? '') > (first?.createdAt ?? '')).toBe(true);
  expect((await client.updateProject(b.project.id, { folder: null })).project.folder).toBeNull();
  expect((await client.listProjects({})).folders).toEqual([]);
  await expect(client.updateProject(b.project.id, { folder: '' })).rejects.toMatchObject({ status: 422 });
});

it('SV-66: a branch says on which branch it was forked, and when it was last used', async () => {
  const { client } = server;
  const { project, branch: main } = await client.createProject({ name: 'Forks' });
  await (await client.chat(project.id, { ref: 'main', message: '/sim say hello' })).text();
  const { branch: fork } = await client.createBranch(project.id, { name: 'fork', fromRef: 'main' });
  expect(fork).toMatchObject({ forkedOn: main.id, lastUsedAt: fork.createdAt });
  const { branches } = await client.getProject(project.id);
  expect(branches.map(({ name, forkedOn }) => [name, forkedOn])).toEqual([
    ['main', null],
    ['fork', main.id],
  ]);
  await client.deleteProject(project.id);
});

it('SV-150: a branch that the gateway recorded says where it comes from; nothing else of that leaves the server', () => {
  const recorded = {
    client: 'codex/1',
    session: null,
    kind: 'aside',
    beside: nodeId('n'),
    because: 'compacted',
  } as const;
  const branch: Branch = {
    id: branchId('b'),
    projectId: projectId('p'),
    name: 'aside',
    tipId: null,
    forkedFromId: null,
    envelope: { provider: 'simulated', model: 'sim-1', systemPrompt: null, tools: [], thinking: 'off' },
    replayBy: 'issuer',
    keepToolsAfterBreak: false,
    pinned: false,
    hidden: false,
    color: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  const about = { running: new Map(), facts: {} };
  const view = branchView({ ...branch, recorded }, about);
  expect(schemas.BranchView.parse(view)).toEqual(view);
  expect(view.recorded).toEqual(recorded);
  expect(branchView(branch, about)).not.toHaveProperty('recorded');
  const node = createNode({
    id: nodeId('n'),
    projectId: branch.projectId,
    parentId: null,
    role: 'user',
    contentBlocks: [{ type: 'text', text: 'Hello' }],
    createdAt: branch.createdAt,
    trail: 'a trail',
  });
  expect(nodeView(node)).not.toHaveProperty('trail');
});

it('SV-40: stored defaults of a provider that left the configuration are passed over', async () => {
  const mine = { mine: { protocol: 'openai-chat', baseUrl: 'https://models.example/v1', models: [{ id: 'm' }] } };
  const before = await startTestServer({}, { providers: mine });
  await before.client.setDefaults({ provider: 'mine', model: 'm' });
  expect((await before.client.createProject({})).branch.provider).toBe('mine');
  await before.stop();
  const after = await startTestServer({}, {}, before.dataDir);
  onTestFinished(after.dispose);
  expect((await after.client.createProject({})).branch.provider).toBe('simulated');
});
