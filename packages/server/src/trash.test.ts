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

describe.each(['files', 'git', 'postgres'] as const)('the trash, on %s', (store) => {
  it('EN-80: says what a deletion would do, does just that, and undoes it', async () => {
    server = await startTestServer({ BOUGH_STORE: store });
    const { client } = server;
    const { project } = await client.createProject({ name: 'Sky' });
    const first = await say(client, project.id, 'main', 'one');
    const second = await say(client, project.id, 'main', 'two');
    const [asked = ''] = endOf(second).nodeIds;
    await client.createBranch(project.id, { name: 'side', fromNodeId: endOf(second).nodeIds.at(-1) ?? '' });
    await say(client, project.id, 'side', 'three');
    await client.createBranch(project.id, { name: 'early', fromNodeId: endOf(first).nodeIds.at(-1) ?? '' });
    const before = { graph: await client.graph(project.id), listed: await client.listBranches(project.id) };

    const told = await client.nodeDeletion(project.id, asked, 'cascade');
    expect(told).toMatchObject({ messages: 4, handedUp: 0 });
    expect(told.branches.map(({ name, messages }) => [name, messages])).toEqual([
      ['main', 2],
      ['side', 4],
    ]);
    expect(await client.nodeDeletion(project.id, asked, 'reparent')).toMatchObject({ messages: 1, handedUp: 1 });
    expect(await client.branchDeletion(project.id, 'side')).toMatchObject({ messages: 0, onNoOtherBranch: 2 });

    const { removed, trashId } = await client.deleteNode(project.id, asked, 'cascade');
    expect(removed.length).toBe(told.messages);
    expect((await client.listTrash()).entries).toMatchObject([
      { id: trashId, kind: 'node', projectName: 'Sky', title: 'two', messages: 4 },
    ]);
    const { entry } = await client.restoreTrash(trashId);
    expect(entry.branches.map(({ name }) => name)).toEqual(['main', 'side']);
    expect({ graph: await client.graph(project.id), listed: await client.listBranches(project.id) }).toEqual(before);
    expect((await client.listTrash()).entries).toEqual([]);
    await expect(client.restoreTrash(trashId)).rejects.toMatchObject({ code: 'unknown_id' });
    expect(endOf(await say(client, project.id, 'side', 'four')).status).toBe('complete');

    await server.stop();
    const opened = await STORES[store](server.dataDir);
    try {
      expect((await verifyStore(opened)).findings).toEqual([]);
    } finally {
      await opened.close();
    }
  });

  it('EN-81: turns, branches and projects too; what lies there is found nowhere else', async () => {
    server = await startTestServer({ BOUGH_STORE: store });
    const { client } = server;
    const { project } = await client.createProject({ name: 'Sky' });
    await say(client, project.id, 'main', 'one');
    const [line] = await say(client, project.id, 'main', 'a rare word');
    const turnId = line?.type === 'turn' ? line.turnId : '';
    await client.createBranch(project.id, { name: 'side' });
    const before = await client.graph(project.id);

    expect(await client.turnDeletion(project.id, turnId, 'cascade')).toMatchObject({ messages: 2 });
    const turn = await client.deleteTurn(project.id, turnId, 'cascade');
    expect((await client.search({ q: 'rare', project: project.id })).hits).toEqual([]);
    const branch = await client.deleteBranch(project.id, 'side');
    const whole = await client.deleteProject(project.id);
    expect((await client.listProjects()).projects).toEqual([]);
    await expect(client.restoreTrash(turn.trashId)).rejects.toMatchObject({ code: 'parent_gone' });
    for (const { trashId } of [whole, branch, turn]) await client.restoreTrash(trashId);
    expect(await client.graph(project.id)).toEqual(before);

    const again = await client.deleteTurn(project.id, turnId, 'cascade');
    await client.purgeTrash(again.trashId);
    await expect(client.restoreTrash(again.trashId)).rejects.toMatchObject({ code: 'unknown_id' });
    await client.deleteBranch(project.id, 'side');
    expect(await client.emptyTrash(project.id)).toEqual({ purged: 1 });
    expect((await client.listTrash(project.id)).entries).toEqual([]);
  });

  it('EN-82: what has been in the trash for thirty days is deleted for good at the next start', async () => {
    server = await startTestServer({ BOUGH_STORE: store });
    const { client } = server;
    const { project } = await client.createProject({ name: 'Sky' });
    const { project: other } = await client.createProject({ name: 'Sea' });
    await server.stop();
    const day = 24 * 60 * 60 * 1000;
    const ago = (days: number): string => new Date(Date.now() - days * day).toISOString();
    const opened = await STORES[store](server.dataDir);
    await opened.deleteProject(project.id as Parameters<typeof opened.deleteProject>[0], {
      id: 'old',
      deletedAt: ago(31),
    });
    await opened.deleteProject(other.id as Parameters<typeof opened.deleteProject>[0], {
      id: 'young',
      deletedAt: ago(29),
    });
    await opened.close();
    server = await server.restart();
    await expect.poll(async () => (await server.client.listTrash()).entries.map(({ id }) => id)).toEqual(['young']);
  });
});
