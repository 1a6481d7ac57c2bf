import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProjectId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { ForeignDocument } from '../../foreign.ts';
import { isInside } from '../../on-disk/inside/index.ts';
import { CONFIG_FILE, HEAD_REFS, META_REF, PROJECT_FILE } from '../meta/layout.ts';
import { readJson, writeJson } from '../meta/records.ts';
import type { OpenProject } from '../project/open-project.ts';
import { setDefaultRef } from '../project/summary.ts';
import { isRefName } from '../refs/name.ts';
import { replaceFile } from '../repository/plain-file.ts';
import { createRepository, type Repository } from '../repository/repository.ts';
import { createOwnDirectory } from '../process/own-directory.ts';
import { runGit } from '../process/run.ts';
import { filesOfTree, linesOf, REPOSITORY, type RepositoryDocument } from './documents.ts';
import type { LooseFile } from './loose-files.ts';
import { writeObjectLines } from './object-lines.ts';
import { readIfWhole } from './tips.ts';

// The way back: a repository of ResearchTree becomes one again, commit by commit, with a work tree that ResearchTree
// can go on in. The documents may have come with anybody's bundle: nothing of them is believed that is not checked.

/** What is known of the repository that this very project was; null where the documents are of another one, or none. */
export function repositoryOf(project: ProjectId, documents: readonly ForeignDocument[]): RepositoryDocument | null {
  const value = documents.find(({ name }) => name === REPOSITORY)?.value;
  if (!isPlainObject(value) || value['version'] !== 1 || value['project'] !== project) return null;
  const { head, refs, files } = value;
  if (typeof head !== 'string' || !isBranch(head) || !isPlainObject(refs) || !Array.isArray(files)) return null;
  const areRefs = Object.entries(refs).every(([ref, oid]) => isRestored(ref) && typeof oid === 'string');
  const loose: readonly unknown[] = files;
  if (!areRefs || !loose.every(isLooseFile)) return null;
  return { version: 1, project, head, refs: refs as Record<string, string>, files: loose };
}

const isBranch = (ref: string): boolean => ref.startsWith(HEAD_REFS) && isRefName(ref);
const isRestored = (ref: string): boolean => ref.startsWith('refs/') && ref !== META_REF && isRefName(ref);

function isLooseFile(value: unknown): value is LooseFile {
  if (!isPlainObject(value)) return false;
  const { path, over, text, base64 } = value;
  if (typeof path !== 'string' || !isInside(path) || typeof (text ?? base64) !== 'string') return false;
  if (over !== null && typeof over !== 'string') return false;
  const [first] = path.split('/');
  return path === `.git/${CONFIG_FILE}` || path.startsWith('.git/logs/') || !/^\.git$/i.test(first ?? '');
}

/** Puts objects, refs and locks into a repository that nobody sees yet. False where they do not fit together. */
export async function restoreRepository(
  directory: string,
  own: string,
  original: RepositoryDocument,
  documents: readonly ForeignDocument[],
): Promise<boolean> {
  const repository = createRepository(directory, own);
  try {
    if (!(await writeObjectLines(repository, linesOf(documents)))) return false;
    for (const oid of Object.values(original.refs)) if (!(await hasCommit(repository, oid))) return false;
    await repository.moveRefs(Object.entries(original.refs).map(([ref, to]) => ({ ref, from: null, to })));
    await setDefaultRef(repository.gitDir, original.head);
    for (const file of original.files)
      if (file.path.startsWith('.git/')) await replaceFile(join(directory, file.path), contentOf(file), true);
    return true;
  } finally {
    await repository.close(new Error('The repository has been restored.'));
  }
}

async function hasCommit(repository: Repository, oid: string): Promise<boolean> {
  const object = await readIfWhole(repository, oid);
  return object?.type === 'commit' || object?.type === 'tag';
}

const contentOf = ({ text, base64 = '' }: LooseFile): Buffer =>
  text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text);

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n';

/**
 * Checks out the default branch, with an index: ResearchTree works in the work tree, and would commit the removal of
 * every file that the index lacks.
 */
export async function checkOut(project: OpenProject, directory: string, files: readonly LooseFile[]): Promise<void> {
  const { repository } = project;
  const { defaultRef, heads } = project.state();
  const head = heads.get(defaultRef);
  if (head === undefined) return;
  const committed = new Map<string, string>();
  await filesOfTree(repository, head.tree, '', committed);
  for (const [path, oid] of committed) {
    if (!isInside(path) || /^\.git(?:\/|$)/i.test(path)) continue;
    await put(directory, path, await repository.readBlob(oid));
  }
  for (const file of files) {
    if (file.path.startsWith('.git/')) continue;
    const now = committed.get(file.path) ?? null;
    if (now === file.over) await put(directory, file.path, contentOf(file));
    // Bough describes the project in the same file: the pin goes into the newer one.
    else if (file.path === PROJECT_FILE && now !== null)
      await put(directory, PROJECT_FILE, withPin(await repository.readBlob(now), contentOf(file)));
  }
  const own = await createOwnDirectory(dirname(directory));
  await runGit({ gitDir: repository.gitDir, own }, ['read-tree', head.commit]);
  await rename(join(own, 'index'), join(repository.gitDir, 'index'));
  await rm(own, { recursive: true, force: true });
  await replaceFile(join(repository.gitDir, 'config'), Buffer.from(CONFIG), true);
}

async function put(directory: string, path: string, content: Buffer): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await replaceFile(join(directory, path), content, false);
}

function withPin(now: Buffer, before: Buffer): Buffer {
  const { pinnedBranchName: _, ...fields } = readJson(now, PROJECT_FILE);
  const { pinnedBranchName } = readJson(before, PROJECT_FILE);
  return writeJson({ ...fields, ...(typeof pinnedBranchName === 'string' ? { pinnedBranchName } : {}) });
}
