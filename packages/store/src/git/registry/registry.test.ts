import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectId } from '@bough/core';
import { describe, expect, test, vi } from 'vitest';
import { buildProject, idsOf, seedProject, seedTurn } from '../../contract/build.ts';
import { git, openStore, temporaryDirectory } from '../testing/workplace.ts';

describe('GIT-1: projects', () => {
  test('GIT-1: a project is a repository without a work tree, in a directory named by its id', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const project = buildProject({ id: projectId('7c9e6679-7425-40de-944b-e07fc1f90ae7') });
    await store.createProject(project);
    await store.createProject(buildProject({ id: projectId('../Escape') }));
    expect((await readdir(root)).filter((name) => !name.startsWith('.bough-')).sort()).toStrictEqual([
      '%2E.%2F%45scape',
      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    ]);
    const directory = join(root, project.id);
    expect(git(directory, 'config', 'core.bare')).toBe('true');
    expect(git(directory, 'log', '--format=%s', 'refs/bough/meta')).toBe('Create the project Contract');
    expect(await readdir(directory)).toStrictEqual(['.git']);
    await store.deleteProject(project.id);
    await store.deleteProject(projectId('../Escape'));
    expect((await readdir(root)).filter((name) => !name.startsWith('.bough-'))).toStrictEqual([]);
  });

  test('GIT-1: listing projects and looking for open turns starts no process', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const made = [await seedProject(store), await seedProject(store)];
    for (const { project, branch } of made) await seedTurn(store, project, branch, null);
    await store.close();
    store = await openStore(root);
    vi.stubEnv('PATH', root);
    try {
      expect(await store.listProjects()).toStrictEqual(made.map(({ project }) => project));
      expect(await store.claimExpiredTurns('heir', 1000)).toStrictEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('GIT-1: a project that is put into the directory by hand is found', async () => {
    const [root, elsewhere] = [await temporaryDirectory(), await temporaryDirectory()];
    const source = await openStore(elsewhere);
    const { project, branch } = await seedProject(source);
    const { reply } = await seedTurn(source, project, branch, null);
    await source.close();
    const store = await openStore(root);
    expect(await store.listProjects()).toStrictEqual([]);
    await rename(join(elsewhere, project.id), join(root, project.id));
    await mkdir(join(root, 'not-a-repository'));
    await writeFile(join(root, 'a-file'), '');
    expect(idsOf(await store.listProjects())).toStrictEqual([project.id]);
    expect(await store.findNode(reply.id)).toStrictEqual(reply);
  });
});
