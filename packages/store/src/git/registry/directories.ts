import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectId } from '@bough/core';
import { projectId } from '@bough/core';
import { diskTrouble, hasCode, syncDirectory } from '../../on-disk/disk/index.ts';
import { kindOf } from '../repository/require-plain.ts';
import { OWN_DIRECTORY } from '../process/own-directory.ts';
import { fileNameOf, idOfFileName } from '../../on-disk/file-names/index.ts';

// One directory per project, named by its id. A project being made or removed has a name that no project can have until
// it is complete or gone.

const UNFINISHED = '.new-';
const REMOVED = '.gone-';
const TRASHED = '.trash-';

export const directoryName = (id: ProjectId): string => fileNameOf(id);

/** The project that a directory is named after; null where the name was too long to hold the id. */
export function idOfDirectory(name: string): ProjectId | null {
  const id = idOfFileName(name);
  if (id === null && fileNameOf(name) !== name) return null;
  return projectId(id !== null && fileNameOf(id) === name ? id : name);
}

/** Where a project is: under the name that Bough gives it, or under its unencoded id, if somebody else named it. */
export function findDirectory(root: string, id: ProjectId): string | null {
  const literal = /^[^./\\\0][^/\\\0]*$/.test(id) ? [id as string] : [];
  for (const name of [directoryName(id), ...literal]) {
    if ((idOfDirectory(name) ?? id) === id && isRepository(join(root, name))) return name;
  }
  return null;
}

/** Names of the directories that hold a repository. Those already `known` to hold one are not checked. */
export async function projectDirectories(root: string, known: (name: string) => boolean): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  return names.filter((name) => known(name) || isRepository(join(root, name))).sort();
}

/** A `.git` that is not a directory counts: opening it reports what is wrong. Links are not followed. */
function isRepository(directory: string): boolean {
  if (kindOf(directory) !== 'directory') return false;
  const inside = kindOf(join(directory, '.git'));
  const head = inside === 'directory' ? kindOf(join(directory, '.git', 'HEAD')) : inside;
  return head !== null && head !== 'directory';
}

export function unfinishedDirectory(root: string): string {
  return join(root, `${UNFINISHED}${randomBytes(8).toString('hex')}`);
}

/** Makes a directory visible under its name. False where the name is taken. */
export async function publishDirectory(root: string, unfinished: string, name: string): Promise<boolean> {
  try {
    await rename(unfinished, join(root, name));
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw diskTrouble(root, error);
  }
  await syncDirectory(root);
  return true;
}

/** Out of sight at once, off the disk shortly after. */
export async function removeDirectory(root: string, name: string): Promise<void> {
  const gone = join(root, `${REMOVED}${randomBytes(8).toString('hex')}`);
  try {
    await rename(join(root, name), gone);
    await syncDirectory(root);
  } catch (error) {
    // Somebody else was faster, as when the trash is emptied twice at once.
    if (hasCode(error, 'ENOENT')) return;
    throw diskTrouble(root, error);
  }
  await rm(gone, { recursive: true, force: true });
}

/** What a crash left half made or half removed. */
export async function removeLeftovers(root: string): Promise<void> {
  const prefixes = [UNFINISHED, REMOVED, OWN_DIRECTORY];
  const names = (await readdir(root)).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  for (const name of names) await rm(join(root, name), { recursive: true, force: true });
}

/** A deleted project that can be restored has a name that no project can have. */
export const trashedName = (id: string): string => `${TRASHED}${fileNameOf(id)}`;

export async function trashedDirectories(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() && entry.name.startsWith(TRASHED) ? [entry.name] : [])).sort();
}

/** Moves a project out of sight, where it can be found again. */
export async function moveDirectory(root: string, from: string, to: string): Promise<void> {
  try {
    await rename(join(root, from), join(root, to));
    await syncDirectory(root);
  } catch (error) {
    throw diskTrouble(root, error);
  }
}
