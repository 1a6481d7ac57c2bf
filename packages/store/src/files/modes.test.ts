import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeId, projectId } from '@bough/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildBranch, buildNode, buildProject, seedTurn } from '../contract/build.ts';
import { openFilesStore } from './index.ts';

const FIXTURE = new URL('./fixtures/loom/', import.meta.url);

let outer = '';
let directory = '';
let umask = 0;
beforeEach(async () => {
  umask = process.umask(0o022);
  outer = await mkdtemp(join(tmpdir(), 'bough-modes-'));
  directory = join(outer, 'store');
});
afterEach(async () => {
  process.umask(umask);
  await rm(outer, { recursive: true });
});

async function modesBelow(path: string): Promise<readonly string[]> {
  const found = new Set<string>();
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    found.add(`${entry.isDirectory() ? 'directory' : 'file'} ${(mode & 0o777).toString(8)}`);
  }
  return [...found].sort();
}

describe('who may read a store', () => {
  test('FS-18: a directory that Bough makes, and everything in it, is for its owner alone', async () => {
    const store = await openFilesStore({ directory });
    const project = buildProject();
    const branch = buildBranch(project);
    await store.createProject(project);
    await store.createBranch(branch);
    await seedTurn(store, project, branch, null);
    const copy = await openFilesStore({ directory: join(outer, 'copy') });
    await copy.importProject(store.exportProject(project.id));
    expect((await stat(join(outer, 'store.key'))).mode & 0o777).toBe(0o600);
    await store.close();
    await copy.close();
    expect(await modesBelow(outer)).toStrictEqual(['directory 700', 'file 600']);
  });

  test('FS-18: in a directory of somebody else files keep their modes, and new ones take after the directory', async () => {
    await cp(FIXTURE, directory, { recursive: true });
    await chmod(directory, 0o775);
    await chmod(join(directory, 'root-1/nodes/node-1.json'), 0o640);
    const store = await openFilesStore({ directory });
    const project = buildProject({ id: projectId('root-1') });
    const above = { id: nodeId('root-1/node-1') };
    await store.appendNodes(project.id, [buildNode(project, above, 'new', { id: nodeId('root-1/new') })]);
    await store.close();
    const modeOf = async (path: string): Promise<number> => (await stat(join(directory, path))).mode & 0o777;
    expect(await modeOf('root-1/nodes/node-1.json')).toBe(0o640);
    expect(await modeOf('root-1/nodes/new.json')).toBe(0o664);
    expect(await modeOf('')).toBe(0o775);
  });
});

describe('the secret of the journal', () => {
  const project = buildProject();

  test('FS-19: it comes with the first change and goes when the store is closed', async () => {
    const looking = await openFilesStore({ directory });
    await looking.listProjects();
    await looking.close();
    expect(await readdir(outer)).toStrictEqual(['store']);
    const store = await openFilesStore({ directory });
    await store.createProject(project);
    expect(await readdir(outer)).toStrictEqual(['store', 'store.key']);
    await store.close();
    expect(await readdir(outer)).toStrictEqual(['store']);
  });

  test('FS-19: after a crash a directory opens where its secret is, moved or not, and not without it', async () => {
    const store = await openFilesStore({ directory });
    await store.createProject(project);
    const [crashed, moved] = [join(outer, 'crashed'), join(outer, 'elsewhere/moved')];
    for (const copy of [crashed, moved]) {
      // The lock is renewed through temporary files, which are gone before they can be copied.
      const isLasting = (path: string): boolean => !path.includes('/.bough/tmp/');
      await cp(directory, copy, { recursive: true, filter: isLasting });
      await rm(join(copy, '.bough/lock'));
    }
    const secret = await readFile(join(outer, 'store.key'), 'utf8');
    await copyFile(join(outer, 'store.key'), `${crashed}.key`);
    await mkdir(join(outer, 'secrets'));
    await copyFile(join(outer, 'store.key'), join(outer, 'secrets/mine'));
    await store.close();

    const opened = await openFilesStore({ directory: crashed });
    expect(await opened.listProjects()).toStrictEqual([project]);
    await opened.close();
    await expect(openFilesStore({ directory: moved })).rejects.toMatchObject({
      code: 'journal_foreign',
      message: expect.not.stringContaining(secret.trim()),
    });
    const named = await openFilesStore({ directory: moved, secretFile: join(outer, 'secrets/mine') });
    expect(await named.listProjects()).toStrictEqual([project]);
    await named.close();
  });
});
