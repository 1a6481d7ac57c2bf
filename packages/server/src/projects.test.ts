import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';

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

  it('AP-7: without a limit all of them come, the newest first', async () => {
    expect(await list({})).toEqual([NAMES.toReversed(), 12]);
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
    `search=${'a'.repeat(201)}`,
  ])('AP-7: a query that cannot be meant is refused: %s', async (query) => {
    const response = await fetch(`${server.url}/api/projects?${query}`);
    expect(response.status).toBe(422);
  });
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
