import { type Dirent, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { diskTrouble, hasCode, readIfThere } from '../../on-disk/disk/index.ts';
import { CONFIG_FILE } from '../meta/layout.ts';
import { PACKED_REFS } from '../refs/packed.ts';
import { unsupported } from '../refs/value.ts';

/** Everything in a repository that Bough reads or writes. */
const USED: readonly (readonly [path: string, kind: Kind])[] = [
  ['HEAD', 'file'],
  [PACKED_REFS, 'file'],
  [CONFIG_FILE, 'file'],
  ['refs', 'directory'],
  ['objects', 'directory'],
  ['bough', 'directory'],
];

/**
 * Refuses a repository that would lead reads or writes elsewhere: a link, a pipe, a `.git` that is a file, objects kept
 * somewhere else. Called before anything is done with it.
 */
export async function requirePlain(gitDir: string): Promise<void> {
  requireKind(gitDir, 'directory');
  for (const [path, kind] of USED) {
    const found = requireKind(join(gitDir, path), kind);
    if (found && kind === 'directory') await requirePlainTree(join(gitDir, path));
  }
  const alternates = await readIfThere(join(gitDir, ALTERNATES));
  if (alternates !== null && alternates.toString('utf8').trim() !== '') {
    throw outside(
      join(gitDir, ALTERNATES),
      'takes objects from another repository',
      'Run "git repack -a -d" there, remove the file, and try again.',
    );
  }
  if (kindOf(join(gitDir, 'reftable')) !== null) throw unsupported(gitDir, 'keeps its refs as reftable');
}

const ALTERNATES = 'objects/info/alternates';

/** The same for a single file, without looking at the rest: for what a list of projects needs. */
export function requirePlainPath(gitDir: string, path: string): void {
  const parts = path.split('/');
  for (let length = 0; length < parts.length; length += 1) {
    if (!requireKind(join(gitDir, ...parts.slice(0, length)), 'directory')) return;
  }
  requireKind(join(gitDir, path), 'file');
}

/** False where there is nothing. */
function requireKind(path: string, kind: Kind): boolean {
  const found = kindOf(path);
  if (found !== null && found !== kind) throw linked(path, kind);
  return found !== null;
}

/** Checked from the listings alone: a young project has thousands of objects, and each would cost a system call. */
async function requirePlainTree(directory: string): Promise<void> {
  const entries = await entriesOf(directory);
  for (const entry of entries)
    if (!entry.isDirectory() && !entry.isFile()) throw linked(join(directory, entry.name), 'file');
  const directories = entries.filter((entry) => entry.isDirectory());
  await Promise.all(directories.map(({ name }) => requirePlainTree(join(directory, name))));
}

type Kind = 'file' | 'directory';

/**
 * Null where there is nothing. Synchronous: a list of thousands of projects asks this ten times for each, and handing
 * the question to another thread costs several times what answering it does.
 */
export function kindOf(path: string): Kind | 'other' | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return null;
    return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other';
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ENAMETOOLONG')) return null;
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

function linked(path: string, kind: Kind): StoreError {
  return outside(
    path,
    `is not the plain ${kind} that belongs there`,
    'Put what it leads to in its place, and try again.',
  );
}

function outside(path: string, what: string, advice: string): StoreError {
  return new StoreError('outside_repository', path, `${path} ${what}, and Bough does not follow it. ${advice}`);
}
