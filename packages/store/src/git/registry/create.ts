import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Project } from '@bough/core';
import { META_REF, PROJECT_FILE } from '../meta/layout.ts';
import { writeNote } from '../meta/message.ts';
import { writeProject } from '../meta/records.ts';
import { serializeCommit } from '../objects/commit-object.ts';
import { createObjectBatch } from '../objects/object-batch.ts';
import { serializeTree } from '../objects/tree.ts';
import { diskTrouble } from '../../on-disk/disk/index.ts';
import { replaceFile } from '../repository/plain-file.ts';

// A repository without a work tree: nothing is ever checked out, and `git status` should not report missing files.
const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/** Makes the repository of a new project, in a directory that nobody sees yet. */
export async function createProjectRepository(directory: string, project: Project, order: number): Promise<void> {
  const gitDir = join(directory, '.git');
  const metaRef = join(gitDir, META_REF);
  try {
    for (const path of ['objects/pack', 'refs/heads', dirname(META_REF)])
      await mkdir(join(gitDir, path), { recursive: true, mode: 0o700 });
    await writeFile(join(gitDir, 'config'), CONFIG);
  } catch (error) {
    throw diskTrouble(directory, error);
  }
  const objects = createObjectBatch(gitDir);
  const blob = objects.add('blob', writeProject(project, order));
  const tree = objects.add('tree', serializeTree(new Map([[PROJECT_FILE, { mode: '100644', oid: blob }]])));
  const message = writeNote(`Create the project ${project.name}`, { sequence: 0, moves: [] });
  const commit = objects.add('commit', serializeCommit({ tree, parents: [], message }, Math.floor(Date.now() / 1000)));
  await objects.flush();
  await replaceFile(metaRef, Buffer.from(`${commit}\n`), true);
  await replaceFile(join(gitDir, 'HEAD'), Buffer.from('ref: refs/heads/main\n'), true);
}
