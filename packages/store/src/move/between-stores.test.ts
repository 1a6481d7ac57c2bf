import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobHash } from '@bough/core';
import { blobsOf } from '@bough/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshId } from '../contract/build.ts';
import { brokenFiles } from '../contract/model/files.ts';
import type { StoreModel } from '../contract/model/model.ts';
import { applyOperation, EMPTY_MODEL, snapshotOfModel } from '../contract/model/model.ts';
import { runOperation } from '../contract/model/operations.ts';
import { planSteps } from '../contract/model/plan.ts';
import { snapshotProject } from '../contract/snapshot.ts';
import { openFilesStore } from '../files/index.ts';
import { openGitStore } from '../git/index.ts';
import { contractOn } from '../postgres/testing/contract.ts';
import { useTestServer } from '../postgres/testing/server.ts';
import type { Store } from '../store.ts';
import { moveProject } from './index.ts';

const server = useTestServer();
const stores = new Map<Store['kind'], Store>();
let close: () => Promise<void>;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bough-between-'));
  const postgres = await contractOn(server).open();
  const files = await openFilesStore({ directory: join(directory, 'files') });
  const git = await openGitStore({ directory: join(directory, 'git') });
  for (const store of [files, git, postgres.store]) stores.set(store.kind, store);
  close = async () => {
    await postgres.dispose();
    await git.close();
    await files.close();
    await rm(directory, { recursive: true });
  };
}, 120_000);
afterAll(() => close());

const storeOf = (kind: Store['kind']): Store => {
  const store = stores.get(kind);
  if (!store) throw new Error(`the ${kind} store was opened`);
  return store;
};

/** A project as real work leaves it: forks, side chains, tool calls, raw, renderings; all turns ended. */
async function seedWork(store: Store, seed: number): Promise<StoreModel> {
  let model: StoreModel = EMPTY_MODEL;
  const open = new Set<string>();
  let steps = 0;
  for (const step of planSteps(seed, freshId('work'))) {
    for (const operation of step) {
      await runOperation(store, operation);
      model = applyOperation(model, operation);
      if (operation.type === 'beginTurn') open.add(operation.begin.turn.id);
      if (operation.type === 'reopenTurn') open.add(operation.turnId);
      if (operation.type === 'commitTurn' && operation.commit.status) open.delete(operation.commit.turnId);
    }
    steps += 1;
    if (steps > 60 && open.size === 0) return model;
  }
  throw new Error('a plan never ends');
}

describe('moveProject between back ends', () => {
  test.each<[Store['kind'], Store['kind']]>([
    ['files', 'git'],
    ['git', 'postgres'],
    ['postgres', 'files'],
    ['files', 'postgres'],
    ['postgres', 'git'],
    ['git', 'files'],
  ])('MV-1: %s → %s loses nothing', async (source, target) => {
    const [from, to] = [storeOf(source), storeOf(target)];
    const model = await seedWork(from, 5);
    for (const [id, project] of model) {
      await moveProject(from, to, id, { deleteSource: true });
      const { records } = await snapshotProject(to, id);
      expect(records).toStrictEqual(snapshotOfModel(project).records);
      expect((await from.listProjects()).map((one) => one.id)).not.toContain(id);
    }
  });

  test.each<[Store['kind'], Store['kind']]>([
    ['files', 'postgres'],
    ['postgres', 'git'],
    ['git', 'files'],
  ])('MV-10: %s → %s takes the files along, and refuses a project whose files are missing', async (source, target) => {
    const [from, to] = [storeOf(source), storeOf(target)];
    const model = await seedWork(from, 7);
    const [id] = [...model.keys()];
    if (id === undefined) throw new Error('a project was made');
    const hashes = new Set<BlobHash>();
    for await (const record of from.exportProject(id))
      if (record.type === 'node') for (const hash of blobsOf(record.value.contentBlocks)) hashes.add(hash);
    expect(hashes.size).toBeGreaterThan(2);
    const read: Store['blobs']['read'] = (scope, hash) =>
      hash === [...hashes].at(-1) ? Promise.resolve(undefined) : from.blobs.read(scope, hash);
    const lossy: Store = { ...from, blobs: { ...from.blobs, read } };
    await expect(moveProject(lossy, to, id, { deleteSource: true })).rejects.toMatchObject({ code: 'blob_missing' });
    expect((await to.listProjects()).map((one) => one.id)).not.toContain(id);
    await moveProject(from, to, id, { deleteSource: true });
    await to.blobs.sweep({ putBefore: '9999-01-01T00:00:00.000Z' });
    expect(await to.blobs.has(id, [...hashes])).toStrictEqual(hashes);
    expect(await brokenFiles(to)).toStrictEqual([]);
  });
});
