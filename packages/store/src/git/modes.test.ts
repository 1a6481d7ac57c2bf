import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildProject } from '../contract/build.ts';
import { openGitStore } from './index.ts';

test('ST-63: a repository that Bough makes can be looked into by its owner alone', async () => {
  const umask = process.umask(0o022);
  onTestFinished(() => void process.umask(umask));
  const outer = await mkdtemp(join(tmpdir(), 'bough-git-modes-'));
  onTestFinished(() => rm(outer, { recursive: true }));
  const directory = join(outer, 'projects');
  const store = await openGitStore({ directory });
  const project = buildProject();
  await store.createProject(project);
  await store.close();
  for (const path of [directory, join(directory, project.id), join(directory, project.id, '.git')])
    expect([path, (await stat(path)).mode & 0o777]).toStrictEqual([path, 0o700]);
});
