import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Envelope } from '@bough/core';
import type { StoreError } from '../errors.ts';
import { checkDisk } from '../on-disk/check/index.ts';
import { acquireLock } from '../on-disk/lock/index.ts';
import { createSignals } from '../on-disk/signals.ts';
import type { TurnCache } from '../on-disk/turn-cache/index.ts';
import { turnCacheAt } from '../on-disk/turn-cache/index.ts';
import type { Store } from '../store.ts';
import { diskTrouble } from '../on-disk/disk/index.ts';
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
import { turnOperations } from './operations/turns.ts';
import { trashOperations } from './trash/index.ts';
import { createOwnDirectory } from './process/own-directory.ts';
import { requireGit } from './process/run.ts';
import { DEFAULT_ENVELOPE } from '../on-disk/default-envelope.ts';
import { PACKING_LIMITS, type PackingLimits } from './repository/maintenance.ts';
import { removeLeftovers } from './registry/directories.ts';
import { createRegistry, type Registry } from './registry/registry.ts';

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
      const registry = createRegistry(root, {
        defaults: options.defaults ?? DEFAULT_ENVELOPE,
        packing: { ...PACKING_LIMITS, ...options.packing },
        own,
      });
      const check = (): Promise<void> => checkDisk(own);
      const cache = turnCacheAt(`${root}.cache`);
      return storeOf({ registry, cache, now: options.now ?? Date.now, check }, async () => {
        try {
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
  readonly now: () => number;
  readonly check: Store['check'];
}

function storeOf({ registry, cache, now, check }: Parts, close: () => Promise<void>): GitStore {
  const { open } = registry;
  let closing: Promise<void> | undefined;
  const store: GitStore = {
    kind: 'git',
    close: () => (closing ??= close()),
    check,
    problems: registry.problems,
    ...projectOperations(registry, cache),
    ...branchOperations(open),
    ...nodeOperations(registry),
    ...deleteNodeOperation(open, cache),
    ...trashOperations(registry),
    ...readingOperations(open, cache),
    ...turnOperations({ open, cache, now }),
    ...leaseOperations({ open, withOpenTurns: registry.withOpenTurns, now }),
    ...callOperations(registry),
    ...logOperations(open),
    ...createSignals(),
    ...exportOperation(open),
    ...importOperation(registry),
    ...upgradeOperation(open),
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
  };
}

/** Copies its arguments now: by the time this write runs, the caller may have changed its own objects. */
function taking<Args extends readonly unknown[], Result>(method: (...args: Args) => Result): (...args: Args) => Result {
  return (...args) => method(...structuredClone(args));
}
