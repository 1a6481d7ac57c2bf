import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from '@bough/core';
import { describe, expect, test, vi } from 'vitest';
import { buildNode, seedProject } from '../../contract/build.ts';
import type { GitStore } from '../index.ts';
import { git, openStore, temporaryDirectory } from '../testing/workplace.ts';
import { SUMMARY_FILE } from './summary.ts';
import { TRAILS_FILE } from './trails.ts';

async function seedTrails(store: GitStore, ...trails: readonly string[]): Promise<Project> {
  const { project } = await seedProject(store);
  for (const trail of trails)
    await store.appendNodes(project.id, [buildNode(project, null, `told ${trail}`, { trail })]);
  return project;
}

const contentOf = async (store: GitStore, trail: string): Promise<string | undefined> =>
  (await store.findTrail([trail]))?.content;

describe('GIT-31: trails', () => {
  test('GIT-31: a look-up among all projects starts no process for those that do not have the trail', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    for (let count = 0; count < 3; count += 1) await seedTrails(store, `a${count}`, `b${count}`);
    await store.close();
    store = await openStore(root);
    vi.stubEnv('PATH', root);
    try {
      expect(await store.findTrail(['nobody', 'nothing'])).toBeNull();
    } finally {
      vi.unstubAllEnvs();
    }
    expect(await contentOf(store, 'b1')).toBe('told b1');
  });

  test('GIT-31: the file is made again where it is lost, cut or garbled', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const project = await seedTrails(store, 'one', 'two\n', 'three');
    const file = join(root, project.id, '.git', TRAILS_FILE);
    const whole = await readFile(file, 'utf8');
    expect(
      whole
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toStrictEqual(['one', 'two\n', 'three']);
    for (const spoil of [
      () => rm(file),
      () => writeFile(file, whole.slice(0, 12)),
      () => writeFile(file, '"one"\n'),
      () => writeFile(file, '{}\n'),
      () => appendFile(file, '"half'),
    ]) {
      await store.close();
      await spoil();
      store = await openStore(root);
      expect(await contentOf(store, 'three')).toBe('told three');
      expect(await readFile(file, 'utf8')).toBe(whole);
    }
  });

  test('GIT-31: a crash before the file was written shows in the newest commit', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const project = await seedTrails(store, 'one');
    const directory = join(root, project.id, '.git');
    const before = await Promise.all([TRAILS_FILE, SUMMARY_FILE].map((name) => readFile(join(directory, name))));
    await store.appendNodes(project.id, [buildNode(project, null, 'told two', { trail: 'two' })]);
    await store.close();
    for (const [at, name] of [TRAILS_FILE, SUMMARY_FILE].entries())
      await writeFile(join(directory, name), before[at] ?? '');
    store = await openStore(root);
    expect(await contentOf(store, 'two')).toBe('told two');
  });

  test('GIT-31: a trail that was deleted, or whose project was, is not found though the file names it', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const project = await seedTrails(store, 'one', 'two');
    const gone = await seedTrails(store, 'three');
    const node = await store.findTrail(['two']);
    if (node === null) throw new Error('it was stored');
    await store.deleteNode(project.id, node.id, 'cascade');
    await store.deleteProject(gone.id);
    await store.close();
    await appendFile(join(root, project.id, '.git', TRAILS_FILE), '"two"\n');
    store = await openStore(root);
    expect(await store.findTrail(['two', 'three'])).toBeNull();
    expect(await contentOf(store, 'one')).toBe('told one');
  });

  test('GIT-31: a project without trails has no file, and a clone brings them along', async () => {
    const [root, other] = [await temporaryDirectory(), await temporaryDirectory()];
    const store = await openStore(root);
    const plain = await seedTrails(store);
    await expect(readFile(join(root, plain.id, '.git', TRAILS_FILE))).rejects.toMatchObject({ code: 'ENOENT' });
    const project = await seedTrails(store, 'one');
    await store.close();
    git(other, 'clone', '--quiet', '--mirror', join(root, project.id), join(other, project.id, '.git'));
    expect(await contentOf(await openStore(other), 'one')).toBe('told one');
  });
});
