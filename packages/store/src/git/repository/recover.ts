import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKED_REFS } from '../refs/packed.ts';
import { refFiles } from '../refs/read.ts';

/**
 * Clears away the ref lock files of a killed process: git itself never removes them, and no ref could move any more.
 * Only while holding Bough's own lock of the store.
 */
export async function removeStaleLocks(gitDir: string): Promise<void> {
  const locks = (await refFiles(gitDir)).filter((file) => file.endsWith('.lock'));
  for (const lock of [...locks, `${PACKED_REFS}.lock`, `${PACKED_REFS}.new`, 'HEAD.lock'])
    await rm(join(gitDir, lock), { force: true });
}
