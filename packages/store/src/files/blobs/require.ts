import type { BlobHash } from '@bough/core';
import { missingBlob } from '../../blobs/index.ts';
import type { Base } from '../state/base.ts';
import type { ProjectState } from '../state/project-state.ts';

/** Refuses nodes whose files are not there. `state` is the project that may refer to some of them already. */
export async function requireBlobs(
  { blobs }: Base,
  state: ProjectState | null,
  hashes: readonly BlobHash[],
): Promise<void> {
  for (const hash of new Set(hashes)) {
    const found = await blobs.find(hash);
    if (found === null || !(state?.blobs.has(hash) || blobs.isHeld(found))) throw missingBlob(hash);
  }
}
