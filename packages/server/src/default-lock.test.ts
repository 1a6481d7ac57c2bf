import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { line, makeRepository, REPOSITORY as ID } from './testing/research-tree.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

let dataDir: string;
let server: TestServer | null = null;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-default-lock-'));
});
afterEach(async () => {
  await server?.stop();
  server = null;
  await rm(dataDir, { recursive: true, force: true });
});

const start = async (store: string): Promise<TestServer> =>
  (server = await startTestServer({ BOUGH_STORE: store }, undefined, dataDir));

const QUESTION = line('n1', null, 'user', 'How tall is an oak?');
const UNNAMED = line('n2', 'n1', 'assistant', 'Up to forty metres.');
const OTHER = line('n2', 'n1', 'assistant', 'Up to forty metres.', { modelUsed: 'claude-sonnet-4-20250514' });

/** The lock can be changed, holds across a restart, and is a lock once its model has replied. */
async function changes(store: string, project: string): Promise<void> {
  const { client } = await start(store);
  const { branch } = await client.updateBranch(project, 'main', { provider: 'simulated_chat' });
  expect(branch).toMatchObject({ provider: 'simulated_chat', model: 'sim-thinker' });
  await server?.stop();
  const again = (await start(store)).client;
  expect((await again.listBranches(project)).branches[0]).toMatchObject({ provider: 'simulated_chat' });
  expect(endOf(await say(again, project, 'main', 'And a beech?')).status).toBe('complete');
  const { nodes } = await again.getPath((await again.listBranches(project)).branches[0]?.tipId ?? '');
  expect(nodes.at(-1)).toMatchObject({ role: 'assistant', provider: 'simulated_chat', modelUsed: 'sim-thinker' });
  await expect(again.updateBranch(project, 'main', { provider: 'simulated' })).rejects.toMatchObject({
    status: 409,
    code: 'branch_locked',
    extra: { locked: { provider: 'simulated_chat', model: 'sim-thinker' } },
  });
  expect(
    (await again.updateBranch(project, 'main', { provider: 'simulated_chat', pinned: true })).branch,
  ).toMatchObject({
    provider: 'simulated_chat',
    pinned: true,
  });
}

describe('branches that were opened with the default lock', () => {
  it.each([
    ['whose replies name no model', [QUESTION, UNNAMED]],
    ['whose replies name another model', [QUESTION, OTHER]],
    ['without a reply', [QUESTION]],
  ])('BC-4: a ResearchTree repository without a lock file, %s', async (_, lines) => {
    const directory = await makeRepository(dataDir, lines, null);
    await changes('git', ID);
    // ResearchTree does not know this provider: in its own file, one such lock hides all branches from it.
    const kept = execFileSync('git', ['-C', directory, 'ls-tree', '-r', '--name-only', 'refs/bough/meta']);
    expect(String(kept)).not.toContain('rt-branch-config.json');
  });

  it('BC-4: a lock that ResearchTree wrote is one', async () => {
    const lock = { provider: 'anthropic', model: 'claude-opus-5' };
    await makeRepository(dataDir, [QUESTION, UNNAMED], { version: 1, branches: { main: lock } });
    const { client } = await start('git');
    await expect(client.updateBranch(ID, 'main', { provider: 'simulated_chat' })).rejects.toMatchObject({
      code: 'branch_locked',
    });
  });

  it('BC-4: a Loom root without a reply', async () => {
    const nodes = join(dataDir, 'files', 'root-9', 'nodes');
    await mkdir(nodes, { recursive: true, mode: 0o700 });
    const node = {
      id: 'root-9/node-1',
      root_id: 'root-9',
      parent_id: 'root-9',
      child_ids: [],
      message: { role: 'user', content: [{ type: 'text', text: 'Hello?' }] },
      metadata: { timestamp: '2024-01-01T00:00:00.000Z', original_root_id: 'root-9', source_info: { type: 'user' } },
    };
    await writeFile(join(nodes, 'node-1.json'), JSON.stringify(node));
    const root = { id: 'root-9', child_ids: [node.id], createdAt: '2024-01-01T00:00:00.000Z', config: {} };
    await writeFile(join(dataDir, 'files', 'roots.json'), JSON.stringify([root]));
    await changes('files', 'root-9');
    expect(await readFile(join(nodes, 'node-1.json'), 'utf8')).toContain('Hello?');
  });

  it.each(['files', 'git', 'postgres'])('BC-4: a new branch, on %s', async (store) => {
    const { client } = await start(store);
    const { project } = await client.createProject({});
    await server?.stop();
    await changes(store, project.id);
  });

  it('BC-4: a provider that does not exist is refused as that, and a running turn as itself', async () => {
    const { client } = await start('files');
    const { project, branch } = await client.createProject({});
    await expect(client.updateBranch(project.id, 'main', { provider: 'nobody' })).rejects.toMatchObject({
      code: 'unknown_provider',
    });
    expect((await client.listBranches(project.id)).branches).toEqual([branch]);
  });
});
