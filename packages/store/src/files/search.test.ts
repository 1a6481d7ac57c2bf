import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Project } from '@bough/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildNode, searchIn, seedChain, seedProject } from '../contract/build.ts';
import { openFilesStore, type FilesStore } from './index.ts';

let directory = '';
let store: FilesStore;
const open = (): Promise<FilesStore> => openFilesStore({ directory: join(directory, 'files') });
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-search-'));
  store = await open();
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const reopen = async (meanwhile: () => Promise<void> = async () => undefined): Promise<void> => {
  await store.close();
  await meanwhile();
  store = await open();
};

/** The one file of a name below a directory. */
async function fileNamed(end: string, below = directory): Promise<string> {
  const found = (await readdir(below, { recursive: true })).find((name) => name.endsWith(end));
  if (found === undefined) throw new Error(`there is no ${end}`);
  return join(below, found);
}
const indexFile = (): Promise<string> => fileNamed('search.lines');

async function said(): Promise<{ readonly project: Project; readonly ids: readonly string[] }> {
  const { project } = await seedProject(store);
  const nodes = await seedChain(store, project, null, ['granite one', 'granite two', 'granite three']);
  return { project, ids: nodes.map(({ id }) => id).reverse() };
}

test('FS-30: an index that was removed, torn or garbled is made again, and grows with what is said', async () => {
  const { project, ids } = await said();
  expect(await searchIn(store, project, 'granite')).toStrictEqual(ids);
  for (const harm of [
    async () => rm(await indexFile()),
    async () => truncate(await indexFile(), 300),
    async () => truncate(await indexFile(), 0),
    async () => writeFile(await indexFile(), (await readFile(await indexFile(), 'utf8')).replace('granite', 'gramite')),
    async () => writeFile(await indexFile(), 'something else\n'),
  ]) {
    await reopen(harm);
    expect(await searchIn(store, project, 'granite')).toStrictEqual(ids);
  }
  const before = await readFile(await indexFile(), 'utf8');
  const more = buildNode(project, null, 'granite four');
  await store.appendNodes(project.id, [more]);
  expect(await searchIn(store, project, 'granite')).toStrictEqual([more.id, ...ids]);
  expect((await readFile(await indexFile(), 'utf8')).startsWith(before)).toBe(true);
});

test('FS-31: what another program changed while the store was closed is found as it is now', async () => {
  const { project } = await said();
  expect((await searchIn(store, project, 'two')).length).toBe(1);
  await reopen(async () => {
    const nodes = await readdir(join(directory, 'files'), { recursive: true });
    for (const name of nodes.filter((each) => each.endsWith('.json'))) {
      const path = join(directory, 'files', name);
      const text = await readFile(path, 'utf8');
      if (text.includes('granite two')) await writeFile(path, text.replaceAll('granite two', 'basalt too'));
    }
  });
  expect((await searchIn(store, project, 'basalt')).length).toBe(1);
  expect(await searchIn(store, project, 'two')).toStrictEqual([]);
  expect((await searchIn(store, project, 'granite')).length).toBe(2);
});

test('FS-32: where the index cannot be written, everything is found nevertheless', async () => {
  const { project, ids } = await said();
  await writeFile(join(directory, 'files.cache'), 'in the way');
  expect(await searchIn(store, project, 'granite')).toStrictEqual(ids);
  expect(await searchIn(store, project, 'main')).toStrictEqual([]);
  await rm(join(directory, 'files.cache'));
  expect(await searchIn(store, project, 'granite')).toStrictEqual(ids);
  expect(await indexFile()).toContain('files.cache');
});

test('FS-33: words of what was deleted do not stay in the index', async () => {
  const { project, ids } = await said();
  const secret = buildNode(project, null, 'a regretted sentence');
  await store.appendNodes(project.id, [secret]);
  expect(await searchIn(store, project, 'regretted')).toStrictEqual([secret.id]);
  expect(await readFile(await indexFile(), 'utf8')).toContain('regretted');
  await store.deleteNode(project.id, secret.id, 'cascade');
  expect(await readFile(await indexFile(), 'utf8')).not.toContain('regretted');
  expect(await searchIn(store, project, 'granite')).toStrictEqual(ids);
  await store.deleteProject(project.id);
  expect((await readdir(directory, { recursive: true })).filter((name) => name.endsWith('search.lines'))).toEqual([]);
});
