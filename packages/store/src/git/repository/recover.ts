import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from '../io-error.ts';
import { awaitFormerWriter } from './writer-file.ts';

/**
 * Clears away what a killed process leaves: lock files of refs, which git itself never removes, so that no ref could move any
 * more. Only under Bough's own lock of the store, and only when the process that made them has ended.
 */
export async function removeStaleLocks(gitDir: string): Promise<void> {
  await awaitFormerWriter(gitDir);
  const files = await filesBelow(join(gitDir, 'refs'));
  const locks = files.filter((file) => file.endsWith('.lock'));
  for (const lock of [...locks, join(gitDir, 'packed-refs.lock'), join(gitDir, 'HEAD.lock')])
    await rm(lock, { force: true });
}

async function filesBelow(directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else found.push(path);
  }
  return found;
}

async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}
