import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectId } from '@bough/core';
import { buildContentBlocksForProvider } from '@bough/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFilesStore } from '../files/index.ts';
import { loomDirectory, loomFiles } from '../files/testing/loom.ts';
import { openGitStore } from '../git/index.ts';
import { researchTree, stateOf, TREE_ID } from '../git/testing/research-tree.ts';
import { contractOn } from '../postgres/testing/contract.ts';
import { useTestServer } from '../postgres/testing/server.ts';
import type { Store } from '../store.ts';
import { verifyStore } from '../verify/index.ts';
import { moveProject } from './index.ts';

const server = useTestServer();
let directory = '';
let postgres: Store;
let close: () => Promise<void>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-move-foreign-'));
  const opened = await contractOn(server).open();
  postgres = opened.store;
  close = async () => {
    await opened.dispose();
    await rm(directory, { recursive: true });
  };
}, 120_000);
afterAll(() => close());

const place = (name: string): string => join(directory, name);
const errorsOf = async (store: Store): Promise<readonly string[]> =>
  (await verifyStore(store, { blocksOfRaw: buildContentBlocksForProvider })).findings.map(({ message }) => message);

describe('to PostgreSQL and back', () => {
  test('MV-21: a repository of ResearchTree comes back equal: every commit, file, lock and pin', async () => {
    const repository = await researchTree(place('trees'));
    const before = await stateOf(repository);
    const from = await openGitStore({ directory: place('trees') });
    // VE-20: data that another program left healthy is healthy.
    expect(await errorsOf(from)).toStrictEqual([]);
    const there = await moveProject(from, postgres, TREE_ID, { deleteSource: true });
    expect(there).toMatchObject({
      sourceDeleted: true,
      beside: { merge: 1, 'token count': 2 },
      counts: { annotation: 1 },
    });
    expect(await from.listProjects()).toStrictEqual([]);
    await from.close();
    expect(await errorsOf(postgres)).toStrictEqual([]);
    const to = await openGitStore({ directory: place('trees-again') });
    expect((await moveProject(postgres, to, TREE_ID, { deleteSource: true })).beside).toStrictEqual(there.beside);
    expect(await errorsOf(to)).toStrictEqual([]);
    await to.close();
    expect(await stateOf(join(place('trees-again'), TREE_ID))).toStrictEqual(before);
  });

  test('MV-22: a directory of Loom comes back equal, file by file', async () => {
    await loomDirectory(place('loom'));
    const before = await loomFiles(place('loom'));
    const from = await openFilesStore({ directory: place('loom') });
    expect(await errorsOf(from)).toStrictEqual([]);
    const roots = ['root-1', 'root-7'].map(projectId);
    for (const root of roots) await moveProject(from, postgres, root, { deleteSource: true });
    await from.close();
    expect(await errorsOf(postgres)).toStrictEqual([]);
    const to = await openFilesStore({ directory: place('loom-again') });
    for (const root of roots) await moveProject(postgres, to, root, { deleteSource: true });
    expect(await errorsOf(to)).toStrictEqual([]);
    await to.close();
    const { 'roots.json': roots1, ...after } = await loomFiles(place('loom-again'));
    const { 'roots.json': roots0, ...files } = before;
    expect(JSON.stringify(after)).toBe(JSON.stringify(files));
    // The list has every root again, also the forgotten one.
    expect(roots1).toMatchObject([...(roots0 as readonly object[]), { id: 'root-7' }]);
  });
});
