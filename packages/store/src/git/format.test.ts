import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectId } from '@bough/core';
import { projectId } from '@bough/core';
import { describe, expect, test } from 'vitest';
import { idsOf, seedProject, seedTurn } from '../contract/build.ts';
import { FOREIGN_ID, foreignRepository } from './testing/foreign.ts';
import { git, gitWithInput, openStore, temporaryDirectory } from './testing/workplace.ts';

type ProjectJson = Record<string, unknown> & { readonly bough: Record<string, unknown> };

const projectJson = (directory: string): ProjectJson =>
  JSON.parse(git(directory, 'show', 'refs/bough/meta:project.json')) as ProjectJson;

/** Rewrites `project.json` as another version of Bough would have. */
async function rewriteProject(directory: string, change: (own: Record<string, unknown>) => object): Promise<void> {
  const { bough, ...fields } = projectJson(directory);
  const content = JSON.stringify({ ...fields, bough: change(bough) });
  const blob = gitWithInput(directory, content, 'hash-object', '-w', '--stdin');
  const entries = git(directory, 'ls-tree', 'refs/bough/meta').replace(/[0-9a-f]{40}(?=\tproject\.json)/, blob);
  const tree = gitWithInput(directory, `${entries}\n`, 'mktree');
  const note = git(directory, 'log', '-1', '--format=%B', 'refs/bough/meta');
  git(directory, 'update-ref', 'refs/bough/meta', git(directory, 'commit-tree', tree, '-m', note));
}

async function madeProject(root: string): Promise<ProjectId> {
  const store = await openStore(root);
  const { project, branch } = await seedProject(store);
  await seedTurn(store, project, branch, null);
  await store.close();
  return project.id;
}

describe('GIT-27: the format', () => {
  test('GIT-27: a project says in which format it is written', async () => {
    const root = await temporaryDirectory();
    const id = await madeProject(root);
    expect(projectJson(join(root, id)).bough['format']).toBe(1);
  });

  test('GIT-27: one of a newer Bough is refused before anything is written; other projects open', async () => {
    const root = await temporaryDirectory();
    const [newer, known] = [await madeProject(root), await madeProject(root)];
    const directory = join(root, newer);
    await rewriteProject(directory, (own) => ({ ...own, format: 2 }));
    for (const summary of ['kept', 'gone', 'newer'] as const) {
      const path = join(directory, '.git/bough/summary.json');
      const meta = git(directory, 'rev-parse', 'refs/bough/meta');
      if (summary === 'gone') await rm(path);
      if (summary === 'newer') await writeFile(path, JSON.stringify({ format: 2, meta, projects: [] }));
      const before = git(directory, 'for-each-ref');
      const store = await openStore(root);
      const refusal = {
        code: 'format_newer',
        subject: `${join(directory, '.git')} refs/bough/meta:project.json`,
        message: expect.stringMatching(/newer Bough \(format 2; this one knows 1\)\. Update Bough/) as string,
      };
      await expect(store.listBranches(newer)).rejects.toMatchObject(refusal);
      expect(idsOf(await store.listProjects())).toStrictEqual([known]);
      expect(store.problems()).toMatchObject([refusal]);
      await store.close();
      expect(git(directory, 'for-each-ref')).toBe(before);
    }
  });

  test('GIT-27: one from before formats were written down opens, and has one after its next change', async () => {
    const root = await temporaryDirectory();
    const id = await madeProject(root);
    const directory = join(root, id);
    await rewriteProject(directory, (own) => ({ ...own, format: undefined }));
    const store = await openStore(root);
    expect(idsOf(await store.listProjects())).toStrictEqual([id]);
    expect(projectJson(directory).bough['format']).toBeUndefined();
    await store.updateProject(id, { name: 'Changed' });
    expect(projectJson(directory).bough['format']).toBe(1);
  });

  test('GIT-27: a repository of ResearchTree has none and opens', async () => {
    const root = await temporaryDirectory();
    await foreignRepository(root);
    const store = await openStore(root);
    expect((await store.getProject(projectId(FOREIGN_ID))).name).toBe('Trees');
  });

  test('GIT-27: a format that is no number is damage', async () => {
    const root = await temporaryDirectory();
    const id = await madeProject(root);
    await rewriteProject(join(root, id), (own) => ({ ...own, format: 'two' }));
    const store = await openStore(root);
    await expect(store.listBranches(id)).rejects.toMatchObject({ code: 'corrupt_file' });
  });
});
