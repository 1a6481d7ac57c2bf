import { mkdir, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Envelope } from '@bough/core';
import type { StoreError } from '../errors.ts';
import { checkDisk } from '../on-disk/check/index.ts';
import type { Account } from '../on-disk/account/index.ts';
import { accountAt } from '../on-disk/account/index.ts';
import { blobsAt } from '../on-disk/blobs/index.ts';
import { createExclusion } from '../on-disk/exclusion.ts';
import { acquireLock } from '../on-disk/lock/index.ts';
import type { SearchIndex } from '../on-disk/search-index/index.ts';
import { searchIndexAt } from '../on-disk/search-index/index.ts';
import { createSignals } from '../on-disk/signals.ts';
import type { BlobDirectory } from '../on-disk/blobs/index.ts';
import type { TurnCache } from '../on-disk/turn-cache/index.ts';
import { turnCacheAt } from '../on-disk/turn-cache/index.ts';
import type { Store } from '../store.ts';
import { diskTrouble } from '../on-disk/disk/index.ts';
import { annotationOperations } from './annotations/index.ts';
import { blobOperations, HELD } from './blobs/index.ts';
import { foreignOperations } from './foreign/index.ts';
import { branchOperations } from './operations/branches.ts';
import { callOperations } from './operations/calls.ts';
import { deleteNodeOperation } from './operations/delete-node.ts';
import { upgradeOperation } from './operations/upgrade.ts';
import { exportOperation } from './operations/export.ts';
import { importOperation } from './operations/import.ts';
import { leaseOperations } from './operations/leases.ts';
import { logOperations } from './operations/logs.ts';
import { nodeOperations } from './operations/nodes.ts';
import { projectOperations } from './operations/projects.ts';
import { readingOperations } from './operations/reading.ts';
import { searchOperations } from './operations/search.ts';
import { turnOperations } from './operations/turns.ts';
import { trashOperations } from './trash/index.ts';
import { createOwnDirectory } from './process/own-directory.ts';
import { requireGit } from './process/run.ts';
import { DEFAULT_ENVELOPE } from '../on-disk/default-envelope.ts';
import { PACKING_LIMITS, type PackingLimits } from './repository/maintenance.ts';
import { removeLeftovers } from './registry/directories.ts';
import { createRegistry, type Registry } from './registry/registry.ts';
import type { Shelf } from './shelf.ts';
import { shelfAt } from './shelf.ts';

export { copyRepository } from './repository/copy.ts';

export interface GitStoreOptions {
  /** Holds one repository per project; created if it does not exist. */
  readonly directory: string;
  /** What a branch without a lock is locked to, if its project does not say. */
  readonly defaults?: Envelope;
  /** When loose objects are packed in the background. */
  readonly packing?: Partial<PackingLimits>;
  /** The clock that leases run by, in milliseconds. */
  readonly now?: () => number;
}

export interface GitStore extends Store {
  readonly kind: 'git';
  /** Every project that could not be read when it was last looked at. The others are not affected. */
  readonly problems: () => readonly StoreError[];
}

/** Next to the projects, like the shelf: a name that no project can have. */
const SPENDING = '.spending';
const PRIVATE = { directory: 0o700, file: 0o600 };

/** Opens a directory of repositories, also after a crash, and keeps other Bough processes out of it. */
export async function openGitStore(options: GitStoreOptions): Promise<GitStore> {
  const root = resolve(options.directory);
  await requireGit();
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const lock = await acquireLock(join(root, '.bough-lock'));
    try {
      await removeLeftovers(root);
      const own = await createOwnDirectory(root);
      const now = options.now ?? Date.now;
      const held = blobsAt({
        base: await realpath(root),
        directory: HELD,
        // What a crash leaves there is removed with it.
        temporaryDirectory: join(own, 'uploads'),
        modes: PRIVATE,
        now,
        exclusively: createExclusion(),
      });
      const registry = createRegistry(root, {
        defaults: options.defaults ?? DEFAULT_ENVELOPE,
        packing: { ...PACKING_LIMITS, ...options.packing },
        own,
        held,
      });
      const check = (): Promise<void> => checkDisk(own);
      const cache = turnCacheAt(`${root}.cache`);
      const shelf = shelfAt(root, own);
      const account = accountAt(await realpath(root), SPENDING, { ...PRIVATE, ofFile: async () => PRIVATE.file });
      const searchIndex = searchIndexAt(`${root}.cache`);
      return storeOf({ registry, cache, searchIndex, held, shelf, account, own, now, check }, async () => {
        try {
          await Promise.all([shelf.settled(), account.settled()]);
          await registry.close();
          await rm(own, { recursive: true, force: true });
        } finally {
          await lock.release();
        }
      });
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    throw diskTrouble(root, error);
  }
}

interface Parts {
  readonly registry: Registry;
  readonly cache: TurnCache;
  readonly searchIndex: SearchIndex;
  readonly shelf: Shelf;
  readonly account: Account;
  readonly held: BlobDirectory;
  /** Where git works. */
  readonly own: string;
  readonly now: () => number;
  readonly check: Store['check'];
}

function storeOf(
  { registry, cache, searchIndex, held, shelf, account, own, now, check }: Parts,
  close: () => Promise<void>,
): GitStore {
  const { open } = registry;
  const projects = projectOperations(registry, cache, searchIndex);
  const branches = branchOperations(open);
  const blobs = blobOperations(open, held);
  const annotationMethods = annotationOperations(registry);
  const nodes = nodeOperations(registry);
  const needed = { ...projects, ...branches, ...nodes, ...annotationMethods, blobs };
  const { search, settled } = searchOperations(registry, searchIndex, needed);
  let closing: Promise<void> | undefined;
  const store: GitStore = {
    kind: 'git',
    close: () => (closing ??= settled().then(close)),
    check,
    problems: registry.problems,
    ...projects,
    ...branches,
    search,
    ...nodes,
    ...deleteNodeOperation(open, cache, searchIndex),
    ...trashOperations(registry),
    listDocuments: shelf.listDocuments,
    getDocument: shelf.getDocument,
    putDocument: shelf.putDocument,
    ...readingOperations(open, cache),
    ...turnOperations({ open, withOpenTurns: registry.withOpenTurns, cache, account, now }),
    ...leaseOperations({ open, withOpenTurns: registry.withOpenTurns, now }),
    ...callOperations(registry),
    spending: account.spending,
    ...logOperations(open),
    ...createSignals(),
    ...exportOperation(open),
    ...importOperation(registry, own),
    ...foreignOperations(open),
    ...annotationMethods,
    ...upgradeOperation(open),
    blobs,
  };
  return {
    ...store,
    createProject: taking(store.createProject),
    updateProject: taking(store.updateProject),
    createBranch: taking(store.createBranch),
    updateBranch: taking(store.updateBranch),
    appendNodes: taking(store.appendNodes),
    beginTurn: taking(store.beginTurn),
    commitTurn: taking(store.commitTurn),
    appendLog: taking(store.appendLog),
    annotate: taking(store.annotate),
  };
}

/** Copies its arguments now: by the time this write runs, the caller may have changed its own objects. */
function taking<Args extends readonly unknown[], Result>(method: (...args: Args) => Result): (...args: Args) => Result {
  return (...args) => method(...structuredClone(args));
}
