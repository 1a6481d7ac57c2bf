import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { refFiles } from './read-refs.ts';
import { awaitFormerWriter } from './writer-file.ts';

/**
 * Clears away what a killed process leaves: lock files of refs, which git itself never removes, so that no ref could move any
 * more. Only under Bough's own lock of the store, and only when the process that made them has ended.
 */
export async function removeStaleLocks(gitDir: string): Promise<void> {
  await awaitFormerWriter(gitDir);
  const locks = (await refFiles(gitDir)).filter((file) => file.endsWith('.lock'));
  for (const lock of [...locks, 'packed-refs.lock', 'HEAD.lock']) await rm(join(gitDir, lock), { force: true });
}
