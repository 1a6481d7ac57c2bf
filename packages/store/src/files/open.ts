import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Envelope } from '@bough/core';
import type { StoreError } from '../errors.ts';
import type { Store } from '../store.ts';
import { diskTrouble } from '../on-disk/disk/index.ts';
import { homeAt, openFileSet, OWN_DIRECTORY, recoverFiles } from './journal/index.ts';
import { accountAt } from '../on-disk/account/index.ts';
import { blobsAt } from '../on-disk/blobs/index.ts';
import { checkDisk } from '../on-disk/check/index.ts';
import { createExclusion } from '../on-disk/exclusion.ts';
import { acquireLock } from '../on-disk/lock/index.ts';
import { annotationMethods } from './annotations/index.ts';
import { BLOBS, blobMethods } from './blobs/index.ts';
import type { LoomMethods } from './loom.ts';
import { foreignMethods } from './foreign/index.ts';
import { loomMethods } from './loom.ts';
import { logText } from './format/log.ts';
import { exportProject } from './read/export.ts';
import { readMethods } from './read/index.ts';
import { searchIndexAt } from '../on-disk/search-index/index.ts';
import { createSignals } from '../on-disk/signals.ts';
import { turnCacheAt } from '../on-disk/turn-cache/index.ts';
import type { Base } from './state/base.ts';
import { logFile } from './state/places.ts';
import type { ProjectState } from './state/project-state.ts';
import { shelfMethods } from './shelf.ts';
import { scanStore } from './state/scan.ts';
import { importMethods, INCOMING } from './write/import.ts';
import { writeMethods } from './write/index.ts';
import { appendLog } from './write/log.ts';
import { trashMethods } from './trash/index.ts';
import { scanTrash } from './trash/places.ts';
import { turnMethods } from './write/turns.ts';
import { searchMethods } from './search.ts';

export interface FilesStoreOptions {
  /** Loom's directory, or a new one. */
  readonly directory: string;
  /** The file with the journal's signing secret. Default: next to the directory, its name plus `.key`. */
  readonly secretFile?: string;
  /** What a Loom project without a reply is locked to. */
  readonly defaults?: Envelope;
  /** The clock that leases run by, in milliseconds. */
  readonly now?: () => number;
}

export interface FilesStore extends Store, LoomMethods {
  readonly kind: 'files';
  /** Every file that could not be read. The rest of the store works without them. */
  readonly problems: () => readonly StoreError[];
  readonly rewriteDerived: NonNullable<Store['rewriteDerived']>;
}

/** Opens a directory of Loom's layout, also after a crash, and keeps other processes out of it. */
export async function openFilesStore({
  directory,
  secretFile,
  defaults,
  now = Date.now,
}: FilesStoreOptions): Promise<FilesStore> {
  const home = await homeAt(directory, secretFile);
  const { directory: path, own, modes } = home;
  const lock = await acquireLock(join(own, 'lock'), modes.directory);
  try {
    await recoverFiles(home);
    await rm(join(path, INCOMING), { recursive: true, force: true });
    const { roots, projects, bookmarks } = await scanStore(path, defaults);
    const sizes = logSizes(projects);
    const files = await openFileSet(home, sizes);
    const exclusively = createExclusion();
    const temporaryDirectory = join(own, 'tmp');
    const base: Base = {
      directory: path,
      blobs: blobsAt({ base: path, directory: BLOBS, temporaryDirectory, modes, now, exclusively }),
      account: accountAt(path, `${OWN_DIRECTORY}/spending`, modes),
      files,
      modes,
      cache: turnCacheAt(`${resolve(directory)}.cache`),
      searchIndex: searchIndexAt(`${resolve(directory)}.cache`),
      projects: new Map(projects.map((state) => [state.project.id, state])),
      bookmarks,
      roots,
      trash: await scanTrash(path),
      logSizes: sizes,
      defaults,
      now,
      exclusively,
    };
    const check = (): Promise<void> => checkDisk(own);
    return storeOf(base, check, async () => {
      try {
        await base.exclusively(() => files.close());
      } finally {
        // Even when the last files could not be written: they are in the journal, and the next process to open needs
        // the lock.
        await lock.release();
      }
    });
  } catch (error) {
    await lock.release();
    throw diskTrouble(path, error);
  }
}

function storeOf(base: Base, check: FilesStore['check'], close: () => Promise<void>): FilesStore {
  let closing: Promise<void> | undefined;
  const reads = readMethods(base);
  const blobs = blobMethods(base);
  const annotations = annotationMethods(base);
  const { search, settled } = searchMethods(base, { ...reads, ...annotations, blobs });
  return {
    kind: 'files',
    close: () => (closing ??= settled().then(close)),
    check,
    ...reads,
    search,
    ...writeMethods(base),
    ...turnMethods(base),
    ...createSignals(),
    ...trashMethods(base),
    ...shelfMethods(base),
    ...foreignMethods(base),
    ...annotations,
    ...loomMethods(base),
    blobs,
    spending: (query) => base.account.spending(query),
    appendLog: (project, turn, entries) => appendLog(base, project, turn, entries),
    exportProject: (project) => exportProject(base, project),
    ...importMethods(base),
    problems: () => [
      ...[...base.projects.values()].flatMap(({ problems, broken }) => [...new Set([...problems, ...broken.values()])]),
      ...base.trash.problems,
    ],
  };
}

/** Where each open log ends: the next line is written there. */
function logSizes(projects: readonly ProjectState[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { directory, logs } of projects) {
    for (const [turn, { entries }] of logs) {
      sizes.set(logFile(directory, turn), Buffer.byteLength(logText(entries)));
    }
  }
  return sizes;
}
