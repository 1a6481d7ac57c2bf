import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { BlobHash, Project, ProjectId } from '@bough/core';
import type { ReadBlob } from '../blobs/index.ts';
import { StoreError } from '../errors.ts';
import { diskTrouble } from '../on-disk/disk/index.ts';
import { readBlobsAt } from '../on-disk/blobs/index.ts';
import { namesInside } from '../on-disk/inside/index.ts';
import { requireDead } from '../on-disk/lock/index.ts';
import type { ProjectRecord } from '../store.ts';
import { BLOBS } from './blobs/index.ts';
import { fileReader, isSegment, OWN_DIRECTORY } from './journal/index.ts';
import { exportProject } from './read/export.ts';
import type { ReadableBase } from './state/base.ts';
import { projectOf } from './state/base.ts';
import { scanStore } from './state/scan.ts';

/** Somebody else's directory, opened for reading only. */
export interface FilesReader {
  readonly projects: () => readonly Project[];
  readonly exportProject: (project: ProjectId) => AsyncIterable<ProjectRecord>;
  /** A file that the project refers to. */
  readonly readBlob: (project: ProjectId, hash: BlobHash) => Promise<ReadBlob | undefined>;
  /** What could not be read in the project. */
  readonly problemsOf: (project: ProjectId) => readonly StoreError[];
  /** What concerns the directory as a whole. */
  readonly problems: readonly StoreError[];
}

/**
 * Reads a directory of Loom's layout that is not ours: takes no lock, makes no temporary files and does not replay its
 * journal. Not a byte is written.
 */
export async function readFilesStore(directory: string): Promise<FilesReader> {
  const path = await realpath(resolve(directory)).catch((error: unknown) => {
    throw diskTrouble(directory, error);
  });
  const problems = await pendingChanges(path);
  const { projects, bookmarks } = await scanStore(path);
  const base: ReadableBase = {
    directory: path,
    files: fileReader(path),
    projects: new Map(projects.map((state) => [state.project.id, state])),
    bookmarks,
  };
  const blobs = readBlobsAt(path, BLOBS);
  return {
    problems,
    readBlob: async (project, hash) => {
      const found = projectOf(base, project).blobs.has(hash) ? await blobs.find(hash) : null;
      return found === null ? undefined : blobs.read(found);
    },
    projects: () => [...base.projects.values()].map(({ project }) => project),
    exportProject: (project) => exportProject(base, project),
    problemsOf: (project) => {
      const state = projectOf(base, project);
      return [...new Set([...state.problems, ...state.broken.values()])];
    },
  };
}

/** A process that is writing there now, or was killed while writing, has changes that are in no file yet. */
async function pendingChanges(path: string): Promise<readonly StoreError[]> {
  const journal = `${OWN_DIRECTORY}/journal`;
  try {
    const names = await namesInside(path, journal);
    await requireDead(join(path, OWN_DIRECTORY, 'lock'));
    if (!names.some(isSegment)) return [];
    return [
      new StoreError(
        'journal_pending',
        join(path, journal),
        `${join(path, journal)} holds changes that are not in the files, and they are not taken over. If the directory is your own, open it once with the Bough that wrote it (bough ls); if it came from somebody else, remove the journal.`,
      ),
    ];
  } catch (error) {
    if (error instanceof StoreError) return [error];
    throw error;
  }
}
