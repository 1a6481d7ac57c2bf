import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectId } from '@bough/core';
import { treeOf } from '@bough/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildBranch, buildProject, seedTurn } from '../contract/build.ts';
import type { ProjectRecord } from '../store.ts';
import { openFilesStore, readFilesStore } from './index.ts';

const FIXTURE = new URL('./fixtures/loom/', import.meta.url);

let outer = '';
let directory = '';
beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'bough-reader-'));
  directory = join(outer, 'loom');
});
afterEach(() => rm(outer, { recursive: true }));

async function recordsOf(records: AsyncIterable<ProjectRecord>): Promise<readonly ProjectRecord[]> {
  const found: ProjectRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
}

describe('readFilesStore', () => {
  test('FS-17: gives what an open store gives', async () => {
    const store = await openFilesStore({ directory });
    const project = buildProject();
    const branch = buildBranch(project);
    await store.createProject(project);
    await store.createBranch(branch);
    await seedTurn(store, project, branch, null);
    const expected = await recordsOf(store.exportProject(project.id));
    await store.close();
    const reader = await readFilesStore(directory);
    expect(reader.projects()).toStrictEqual([project]);
    expect(await recordsOf(reader.exportProject(project.id))).toStrictEqual(expected);
    expect([reader.problems, reader.problemsOf(project.id)]).toStrictEqual([[], []]);
  });

  test('FS-17: leaves no trace, not even for a moment', async () => {
    await cp(FIXTURE, directory, { recursive: true });
    const before = await treeOf(outer, { times: true });
    const reader = await readFilesStore(directory);
    for (const { id } of reader.projects()) {
      if (reader.problemsOf(id).length === 0) await recordsOf(reader.exportProject(id));
    }
    expect(await treeOf(outer, { times: true })).toStrictEqual(before);
  });

  test('FS-17: a journal is not followed but told, also the one of a store that was killed', async () => {
    await cp(FIXTURE, directory, { recursive: true });
    await mkdir(join(directory, '.bough/journal'), { recursive: true });
    await writeFile(join(directory, '.bough/journal/00000001.jsonl'), 'anything');
    const before = await treeOf(outer, { times: true });
    const { problems, projects } = await readFilesStore(directory);
    expect(problems).toMatchObject([{ code: 'journal_pending', message: expect.stringContaining('open it once') }]);
    expect(projects().map(({ id }) => id)).toContain(projectId('root-1'));
    expect(await treeOf(outer, { times: true })).toStrictEqual(before);
  });

  test('FS-17: a store that is open is told to be in use', async () => {
    const store = await openFilesStore({ directory });
    await expect(readFilesStore(directory)).rejects.toMatchObject({ code: 'store_locked' });
    await store.close();
  });
});
