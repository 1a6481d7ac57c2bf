import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../on-disk/disk/index.ts';
import { replaceFile } from '../repository/plain-file.ts';
import { lockFile } from './lock.ts';
import { isRefName } from './name.ts';
import { PACKED_REFS, packedRefsText, readPackedRefs } from './packed.ts';
import { readLooseRef, refFiles } from './read.ts';

/** Refs that belong to one work tree stay in their files. */
const OF_A_WORK_TREE = /^refs\/(?:bisect|rewritten|worktree)\//;

/**
 * Puts all refs into one file, as `git pack-refs` does: thousands of leaves in files of their own would make opening
 * slow.
 */
export async function packRefs(gitDir: string): Promise<void> {
  const lock = await lockFile(join(gitDir, PACKED_REFS));
  // Somebody else's git is doing the same.
  if (lock === null) return;
  const packed = new Map<string, string>();
  try {
    const refs = new Map(await readPackedRefs(gitDir));
    for (const ref of await refFiles(gitDir)) {
      if (!isRefName(ref) || OF_A_WORK_TREE.test(ref)) continue;
      const value = await readLooseRef(gitDir, ref);
      if (value === null || !('oid' in value)) continue;
      packed.set(ref, value.oid);
      if (refs.get(ref)?.oid !== value.oid) refs.set(ref, { oid: value.oid, peeled: null });
    }
    if (packed.size === 0) return;
    await replaceFile(join(gitDir, PACKED_REFS), Buffer.from(packedRefsText(refs)), true);
    await syncDirectory(gitDir);
  } finally {
    await lock.release();
  }
  for (const [ref, oid] of packed) await removeLoose(gitDir, ref, oid);
}

/** Under the ref's lock, and only if it still has the same value: a ref moved meanwhile has its value nowhere else. */
async function removeLoose(gitDir: string, ref: string, oid: string): Promise<void> {
  const lock = await lockFile(join(gitDir, ref), 0);
  if (lock === null) return;
  try {
    const value = await readLooseRef(gitDir, ref);
    if (value === null || !('oid' in value) || value.oid !== oid) return;
    // A ref that was deleted and made again in between is no longer packed: its file is all there is.
    if ((await readPackedRefs(gitDir)).get(ref)?.oid === oid) await rm(join(gitDir, ref), { force: true });
  } finally {
    await lock.release();
  }
}
