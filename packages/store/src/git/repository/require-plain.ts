import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { diskTrouble, hasCode, readIfThere } from '../../on-disk/disk/index.ts';
import { CONFIG_FILE } from '../meta/layout.ts';
import { PACKED_REFS } from '../refs/packed.ts';
import { unsupported } from '../refs/value.ts';

/** Everything of a repository that Bough reads or writes. */
const USED = ['HEAD', PACKED_REFS, CONFIG_FILE, 'refs', 'objects', 'bough'];

/**
 * Refuses a repository that would lead reads or writes to another place: a link, a pipe, a `.git` that is a file, objects that
 * are somewhere else. Asked before anything is done with it.
 */
export async function requirePlain(gitDir: string): Promise<void> {
  await requirePlainPath(gitDir, '');
  for (const path of USED) {
    const kind = await kindOf(join(gitDir, path));
    if (kind === 'other') throw linked(join(gitDir, path));
    if (kind === 'directory') await requirePlainTree(join(gitDir, path));
  }
  const alternates = await readIfThere(join(gitDir, ALTERNATES));
  if (alternates !== null && alternates.toString('utf8').trim() !== '') {
    throw outside(
      join(gitDir, ALTERNATES),
      'takes objects from another repository',
      'Run "git repack -a -d" there, remove the file, and try again.',
    );
  }
  if ((await kindOf(join(gitDir, 'reftable'))) !== null) throw unsupported(gitDir, 'keeps its refs as reftable');
}

const ALTERNATES = 'objects/info/alternates';

/** The same for one file alone, without looking at the rest: for what a list of projects needs. */
export async function requirePlainPath(gitDir: string, path: string): Promise<void> {
  const parts = path.split('/').filter((part) => part !== '');
  for (let length = 0; length <= parts.length; length += 1) {
    const at = join(gitDir, ...parts.slice(0, length));
    const kind = await kindOf(at);
    if (kind === 'other' || (length === 0 && kind === 'file')) throw linked(at);
    if (kind !== 'directory') return;
  }
}

/** Told by the listings alone: a young project has thousands of objects, and each would be one more question to the disk. */
async function requirePlainTree(directory: string): Promise<void> {
  const entries = await entriesOf(directory);
  for (const entry of entries) if (!entry.isDirectory() && !entry.isFile()) throw linked(join(directory, entry.name));
  const directories = entries.filter((entry) => entry.isDirectory());
  await Promise.all(directories.map(({ name }) => requirePlainTree(join(directory, name))));
}

type Kind = 'file' | 'directory' | 'other';

/** Null where there is nothing. */
async function kindOf(path: string): Promise<Kind | null> {
  try {
    const found = await lstat(path);
    return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other';
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw diskTrouble(path, error);
  }
}

async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    // git removes directories that it has emptied.
    if (hasCode(error, 'ENOENT')) return [];
    throw diskTrouble(directory, error);
  }
}

function linked(path: string): StoreError {
  return outside(path, 'is no plain file or directory', 'Put what it leads to in its place, and try again.');
}

function outside(path: string, what: string, advice: string): StoreError {
  return new StoreError('outside_repository', path, `${path} ${what}, which Bough does not follow. ${advice}`);
}
