import type { BlobHash, ProjectId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { BlobStore, PutBlob, ReadBlob } from '../../blobs/index.ts';
import { checked } from '../../blobs/index.ts';
import type { BlobDirectory } from '../../on-disk/blobs/index.ts';
import type { OpenProject } from '../project/open-project.ts';
import { entryOfBlob, refersTo } from './project-blobs.ts';

/** What was put and belongs to no project yet. Starts like no project's name. */
export const HELD = '.bough-held';

/**
 * What is put lies in a directory until a node refers to it; then it becomes an object of the project's repository,
 * which a clone or a push takes along. A repository is whole by itself, so projects do not share them.
 */
export function blobOperations(open: (id: ProjectId) => Promise<OpenProject>, held: BlobDirectory): BlobStore {
  const find = async (scope: ProjectId | null, hash: BlobHash): Promise<Found | null> => {
    if (scope === null) {
      const found = await held.find(hash);
      if (found === null || !held.isHeld(found)) return null;
      return { size: () => Promise.resolve(found.size), read: (start) => held.read(found, start) };
    }
    const project = await unlessUnknown(open(scope));
    if (project === null || !refersTo(project.state(), hash)) return null;
    const oid = await entryOfBlob(project, hash);
    if (oid === null) return null;
    const { repository } = project;
    return {
      size: () => repository.sizeOfBlob(oid),
      read: (start, size) => {
        const bytes = repository.streamBlob(oid, start);
        return { size, bytes: start === 0 ? checked(bytes, hash) : bytes };
      },
    };
  };

  return {
    put: (source, { limit }) => held.put(source, limit),
    read: async (scope, hash, start = 0) => {
      const found = await find(scope, hash);
      const size = found === null ? null : await found.size();
      return found === null || size === null ? undefined : found.read(start, size);
    },
    has: async (scope, hashes) => {
      const there = new Set<BlobHash>();
      for (const hash of hashes) {
        const found = await find(scope, hash);
        if (found !== null && (await found.size()) !== null) there.add(hash);
      }
      return there;
    },
    // What projects refer to is theirs; a write that removes the last reference removes the blob as well.
    sweep: async ({ putBefore, dryRun = false }) => {
      const removed: PutBlob[] = [];
      const before = Date.parse(putBefore);
      for await (const { hash, size, putAt } of held.list()) {
        if (putAt >= before) continue;
        if (dryRun || (await held.removeIfPutBefore(hash, before))) removed.push({ hash, size });
      }
      return removed;
    },
  };
}

interface Found {
  /** Null where its object is missing. */
  readonly size: () => Promise<number | null>;
  readonly read: (start: number, size: number) => ReadBlob;
}

async function unlessUnknown<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof UnknownIdError) return null;
    throw error;
  }
}
