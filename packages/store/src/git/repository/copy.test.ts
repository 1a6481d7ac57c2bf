import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeId, projectId } from '@bough/core';
import { describe, expect, test } from 'vitest';
import { seedProject, seedTurn } from '../../contract/build.ts';
import { snapshotProject } from '../../contract/snapshot.ts';
import { FOREIGN_ID, foreignRepository } from '../testing/foreign.ts';
import { git, openStore, temporaryDirectory } from '../testing/workplace.ts';
import { copyRepository } from './copy.ts';

/** Names, times and content of everything below a directory. */
async function stateOf(directory: string): Promise<readonly string[]> {
  const names = ['.', ...(await readdir(directory, { recursive: true }))].sort();
  return Promise.all(
    names.map(async (name) => {
      const found = await stat(join(directory, name));
      const content = found.isFile() ? (await readFile(join(directory, name))).toString('base64') : '';
      return `${name} ${found.mode} ${found.mtimeMs} ${found.ctimeMs} ${content}`;
    }),
  );
}

describe('GIT-29: copying', () => {
  for (const form of ['loose', 'packed'] as const) {
    test(`GIT-29: a ${form} repository is copied with its conversation, without its settings, and not touched`, async () => {
      const [there, here] = [await temporaryDirectory(), await temporaryDirectory()];
      const directory = await foreignRepository(there);
      const locks = JSON.stringify({ version: 1, branches: { main: { provider: 'gemini', model: 'gemini-9' } } });
      await writeFile(join(directory, '.git/rt-branch-config.json'), locks);
      if (form === 'packed') git(directory, 'gc', '--quiet');
      await mkdir(join(directory, '.git/refs/heads'), { recursive: true });
      await writeFile(join(directory, '.git/refs/heads/main.lock'), '');
      const before = await stateOf(there);
      await copyRepository(directory, here);
      expect(
        (await readdir(join(here, FOREIGN_ID, '.git'))).filter((name) => name !== 'packed-refs').sort(),
      ).toStrictEqual(['HEAD', 'logs', 'objects', 'refs', 'rt-branch-config.json']);
      const store = await openStore(here);
      const project = projectId(FOREIGN_ID);
      expect((await store.path(project, nodeId('n4'))).length).toBe(4);
      expect((await store.getBranch(project, 'main')).envelope.model).toBe('gemini-9');
      expect(await stateOf(there)).toStrictEqual(before);
    });
  }

  test('GIT-29: a project of Bough is copied whole', async () => {
    const [there, here] = [await temporaryDirectory(), await temporaryDirectory()];
    const source = await openStore(there);
    const { project, branch } = await seedProject(source);
    const { reply } = await seedTurn(source, project, branch, null);
    await seedTurn(source, project, branch, reply.id);
    await copyRepository(join(there, project.id), here);
    const store = await openStore(here);
    expect(await snapshotProject(store, project.id)).toStrictEqual(await snapshotProject(source, project.id));
  });
});
