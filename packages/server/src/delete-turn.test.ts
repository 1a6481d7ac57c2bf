import { canonicalBlocks } from '@bough/core';
import { buildContentBlocksForProvider } from '@bough/providers';
import { openFilesStore, openGitStore, openPostgresStore, verifyStore } from '@bough/store';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

let server: TestServer;
afterEach(() => server.dispose());

const STORES = {
  files: (dataDir: string) => openFilesStore({ directory: join(dataDir, 'files') }),
  git: (dataDir: string) => openGitStore({ directory: join(dataDir, 'projects') }),
  postgres: (dataDir: string) => openPostgresStore({ dataDir }),
};

/** Everything that `bough verify` would say, notes included. */
async function findings(store: keyof typeof STORES) {
  await server.stop();
  const opened = await STORES[store](server.dataDir);
  try {
    const blocksOfRaw = (raw: Parameters<typeof buildContentBlocksForProvider>[0]) =>
      canonicalBlocks(buildContentBlocksForProvider(raw), Number.POSITIVE_INFINITY).blocks;
    return (await verifyStore(opened, { blocksOfRaw })).findings;
  } finally {
    await opened.close();
  }
}

describe.each(['files', 'git', 'postgres'] as const)('a whole turn, on %s', (store) => {
  it('EN-49: goes in one call with its tool results, and the conversation goes on', async () => {
    server = await startTestServer({ BOUGH_STORE: store });
    const { client } = server;
    const { project } = await client.createProject({ tools: ['calculator'] });
    const first = await say(client, project.id, 'main', 'one');
    const second = await say(client, project.id, 'main', '/sim tools calculator current_time x2');
    const third = await say(client, project.id, 'main', 'three');
    expect(endOf(second).nodeIds.length).toBeGreaterThan(2);
    const [line] = second;
    const turnId = line?.type === 'turn' ? line.turnId : '';
    const { branch } = await client.createBranch(project.id, { fromNodeId: endOf(second).nodeIds.at(-1) ?? '' });

    const { removed } = await client.deleteTurn(project.id, turnId, 'reparent');
    expect([...removed].sort()).toEqual([...endOf(second).nodeIds].sort());
    const { nodes } = await client.getPath(endOf(third).nodeIds.at(-1) ?? '');
    expect(nodes.map(({ id }) => id)).toEqual([...endOf(first).nodeIds, ...endOf(third).nodeIds]);
    const { branches } = await client.listBranches(project.id);
    expect(branches.find(({ id }) => id === branch.id)).toMatchObject({
      tipId: endOf(first).nodeIds.at(-1),
      forkedFromId: endOf(first).nodeIds.at(-1),
    });
    await expect(client.deleteTurn(project.id, turnId, 'reparent')).rejects.toMatchObject({ code: 'unknown_id' });
    expect(endOf(await say(client, project.id, 'main', 'four')).status).toBe('complete');
    expect(endOf(await say(client, project.id, branch.id, 'other')).status).toBe('complete');
    expect(await findings(store)).toEqual([]);
  });

  it('EN-49: also the only one, and one that failed', async () => {
    server = await startTestServer({ BOUGH_STORE: store });
    const { client } = server;
    const { project } = await client.createProject({});
    for (const message of ['/sim error 400', 'hello']) {
      const [line] = await say(client, project.id, 'main', message);
      await client.deleteTurn(project.id, line?.type === 'turn' ? line.turnId : '', 'cascade');
      expect((await client.graph(project.id)).nodes).toEqual([]);
    }
    expect((await client.getProject(project.id)).branches[0]?.tipId).toBeNull();
    expect(await findings(store)).toEqual([]);
  });
});
