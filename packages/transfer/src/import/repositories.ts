import { copyRepository, StoreError } from '@bough/store';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Found } from './found.ts';

/**
 * Copies one repository, or each of those in a directory. One that cannot be read is reported, and the others are
 * copied.
 */
export async function* copyRepositories(
  path: string,
  kind: 'research-tree' | 'research-trees',
  copy: string,
): AsyncGenerator<Found, void> {
  for (const repository of kind === 'research-tree' ? [path] : await repositoriesIn(path)) {
    try {
      await copyRepository(repository, copy);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      yield { type: 'problem', problem: { where: error.subject, message: error.message } };
    }
  }
}

async function repositoriesIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const directories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  const found = await Promise.all(
    directories.map(async (directory) => ((await holdsGit(directory)) ? [directory] : [])),
  );
  return found.flat();
}

const holdsGit = (directory: string): Promise<boolean> =>
  lstat(join(directory, '.git')).then(
    () => true,
    () => false,
  );
