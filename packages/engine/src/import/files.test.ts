import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Project } from '@bough/core';
import { blobHash, createNode, nodeId, projectId } from '@bough/core';
import type { ProjectRecord, Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { startSimulator } from '@bough/simulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { purgeTrash } from '../trash/index.ts';
import { stageOn } from '../turn/testing.ts';
import { importProject } from './index.ts';

let directory: string;
let store: Store;
let time = Date.now();
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-engine-files-'));
  time = Date.now();
  store = await openFilesStore({ directory, now: () => time });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const PROJECT: Project = {
  id: projectId('project'),
  name: 'Files',
  description: null,
  systemPrompt: null,
  defaults: {},
  archived: false,
  createdAt: '2026-01-01T00:00:00.000Z',
};

const put = (text: string) =>
  store.blobs.put(
    (async function* () {
      yield await Promise.resolve(Buffer.from(text));
    })(),
    { limit: 1000 },
  );

const nodeWith = (id: string, hash: ReturnType<typeof blobHash>) =>
  createNode({
    id: nodeId(id),
    projectId: PROJECT.id,
    parentId: null,
    role: 'user',
    contentBlocks: [
      { type: 'text', text: id },
      { type: 'file', name: 'a.txt', file: { hash, size: 9, mediaType: 'text/plain' } },
    ],
    createdAt: '2026-01-01T00:00:00.000Z',
  });

async function* recordsWith(...nodes: readonly ReturnType<typeof nodeWith>[]): AsyncIterable<ProjectRecord> {
  yield { type: 'project', value: PROJECT };
  for (const value of nodes) yield await Promise.resolve({ type: 'node' as const, value });
}

describe('files of imported messages', () => {
  it('EN-110: a message whose file is missing is refused, in a new project and in one that grows', async () => {
    const missing = blobHash('ab'.repeat(32));
    const refused = { code: 'blob_missing', hash: missing };
    await expect(importProject(store, recordsWith(nodeWith('one', missing)))).rejects.toMatchObject(refused);
    expect(await store.listProjects()).toEqual([]);
    const { hash } = await put('a picture');
    await importProject(store, recordsWith(nodeWith('one', hash)));
    const more = recordsWith(nodeWith('one', hash), nodeWith('two', missing));
    await expect(importProject(store, more)).rejects.toMatchObject(refused);
    expect((await store.graph(PROJECT.id)).nodes.map(({ id }) => id)).toEqual(['one']);
  });

  it('EN-111: emptying the trash removes the files that only it referred to, unless they are still held', async () => {
    const simulator = await startSimulator({ seed: 'files' });
    try {
      const { env } = stageOn(store, simulator.url);
      const [one, two] = [await put('a picture'), await put('another')];
      await importProject(store, recordsWith(nodeWith('one', one.hash), nodeWith('two', two.hash)));
      const both = [one.hash, two.hash];
      for (const id of ['one', 'two'])
        await store.deleteNode(PROJECT.id, nodeId(id), 'cascade', { id, deletedAt: new Date().toISOString() });
      await purgeTrash(env, { id: 'one' });
      expect(await store.blobs.has(null, both)).toEqual(new Set(both));
      time += 49 * 60 * 60 * 1000;
      const later = { ...env, now: () => new Date(time) };
      await purgeTrash(later, { id: 'two' });
      const putBefore = '9999-01-01T00:00:00.000Z';
      expect(await store.blobs.sweep({ putBefore, dryRun: true })).toEqual([]);
    } finally {
      await simulator.close();
    }
  });
});
