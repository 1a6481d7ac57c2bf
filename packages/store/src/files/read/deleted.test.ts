import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TreeNode } from '@bough/core';
import { nodeId, UnknownIdError } from '@bough/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildNode, buildProject } from '../../contract/build.ts';
import { openFilesStore } from '../index.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-deleted-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('ST-6: a project that is deleted while it is read names nothing any more: no file of it is missing', async () => {
  const first = await openFilesStore({ directory });
  const project = buildProject();
  await first.createProject(project);
  const nodes: TreeNode[] = [];
  for (let count = 0; count < 400; count += 1) nodes.push(buildNode(project, nodes.at(-1) ?? null, `text ${count}`));
  await first.appendNodes(project.id, nodes);
  await first.close();

  const store = await openFilesStore({ directory });
  // Thousands of files, one after the other: the project's files are removed (shortly after the project) before the
  // last is read.
  const tip = nodes.at(-1)?.id ?? nodeId('');
  const reads = Array.from({ length: 30 }, () => store.path(project.id, tip).catch((error: unknown) => error));
  await store.deleteProject(project.id);
  const failed = (await Promise.all(reads)).filter((outcome) => outcome instanceof Error);
  expect(failed.length).toBeGreaterThan(0);
  expect(failed).toEqual(failed.map(() => expect.any(UnknownIdError)));
  await store.close();
});
