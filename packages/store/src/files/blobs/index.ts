import type { BlobHash, ProjectId } from '@bough/core';
import type { BlobStore, PutBlob } from '../../blobs/index.ts';
import type { FoundBlob } from '../../on-disk/blobs/index.ts';
import { OWN_DIRECTORY } from '../journal/index.ts';
import type { Base } from '../state/base.ts';
import { blobsInTrash } from '../trash/removed.ts';

/** Next to the journal, because projects share them. */
export const BLOBS = `${OWN_DIRECTORY}/blobs`;

export function blobMethods(base: Base): BlobStore {
  const { blobs, exclusively } = base;
  const find = async (scope: ProjectId | null, hash: BlobHash): Promise<FoundBlob | null> => {
    const refers = scope !== null && (base.projects.get(scope)?.blobs.has(hash) ?? false);
    if (scope !== null && !refers) return null;
    const found = await blobs.find(hash);
    return found !== null && (refers || blobs.isHeld(found)) ? found : null;
  };

  return {
    put: (source, { limit }) => blobs.put(source, limit),
    read: async (scope, hash, start) => {
      const found = await find(scope, hash);
      return found === null ? undefined : blobs.read(found, start);
    },
    has: async (scope, hashes) => {
      const found = new Set<BlobHash>();
      for (const hash of hashes) if ((await find(scope, hash)) !== null) found.add(hash);
      return found;
    },
    sweep: ({ putBefore, dryRun = false }) =>
      exclusively(async () => {
        const unused = await unusedBlobs(base, Date.parse(putBefore));
        if (!dryRun) for (const { hash } of unused) await blobs.remove(hash);
        return unused;
      }),
  };
}

/** The trash is read only where something might be removed. */
async function unusedBlobs(base: Base, putBefore: number): Promise<readonly PutBlob[]> {
  const states = [...base.projects.values()];
  // What cannot be read may refer to anything.
  if (states.some(({ broken, problems }) => broken.size + problems.length > 0) || base.trash.problems.length > 0)
    return [];
  const unused: PutBlob[] = [];
  for await (const { hash, size, putAt } of base.blobs.list())
    if (putAt < putBefore && !states.some((state) => state.blobs.has(hash))) unused.push({ hash, size });
  if (unused.length === 0) return [];
  const kept = await blobsInTrash(base);
  return unused.filter(({ hash }) => !kept.has(hash));
}
