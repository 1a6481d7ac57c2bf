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
 * Puts all refs into one file, as `git pack-refs` does: a file for each of thousands of leaves would make opening slow.
 */
export async function packRefs(gitDir: string): Promise<void> {
  const lock = await lockFile(join(gitDir, PACKED_REFS));
  // Somebody's git is doing the same.
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

/**
 * Under the ref's lock, and only where it still says the same: one that was moved meanwhile has its value nowhere else.
 */
async function removeLoose(gitDir: string, ref: string, oid: string): Promise<void> {
  const lock = await lockFile(join(gitDir, ref), 0);
  if (lock === null) return;
  try {
    const value = await readLooseRef(gitDir, ref);
    if (value === null || !('oid' in value) || value.oid !== oid) return;
    // One that was deleted and made again in between is packed no more: its file is all that there is of it.
    if ((await readPackedRefs(gitDir)).get(ref)?.oid === oid) await rm(join(gitDir, ref), { force: true });
  } finally {
    await lock.release();
  }
}
