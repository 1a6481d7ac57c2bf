import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKED_REFS } from '../refs/packed.ts';
import { refFiles } from '../refs/read.ts';

/**
 * Clears away what a killed process leaves: lock files of refs, which git itself never removes, so that no ref could
 * move any more. Only under Bough's own lock of the store.
 */
export async function removeStaleLocks(gitDir: string): Promise<void> {
  const locks = (await refFiles(gitDir)).filter((file) => file.endsWith('.lock'));
  for (const lock of [...locks, `${PACKED_REFS}.lock`, `${PACKED_REFS}.new`, 'HEAD.lock'])
    await rm(join(gitDir, lock), { force: true });
}
