import { canonicalBlocks } from '@bough/core';
import { buildContentBlocksForProvider } from '@bough/providers';
import type { Store } from '@bough/store';
import { openFilesStore, openGitStore, openPostgresStore, verifyStore } from '@bough/store';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import type { StoreKind } from './lane.ts';

/** The errors that `verify` finds in the store of a data directory whose servers are stopped. */
export async function verifyDataDir(kind: StoreKind, dataDir: string): Promise<readonly Finding[]> {
  const store = await openStoreOf(kind, dataDir);
  try {
    const { findings } = await verifyStore(store, {
      blocksOfRaw: (raw) => canonicalBlocks(buildContentBlocksForProvider(raw), Number.POSITIVE_INFINITY).blocks,
    });
    // Warnings reflect intended events: an interrupted turn has calls without results.
    return findings
      .filter(({ severity }) => severity === 'error')
      .map(({ code, subject, message, projectId }) => ({
        kind: 'verify',
        what: `${code} at ${subject}: ${message}`,
        projectId: projectId ?? '',
      }));
  } finally {
    await store.close();
  }
}

function openStoreOf(kind: StoreKind, dataDir: string): Promise<Store> {
  switch (kind) {
    case 'postgres':
      return openPostgresStore({ dataDir });
    case 'git':
      return openGitStore({ directory: join(dataDir, 'projects') });
    case 'files':
      return openFilesStore({ directory: join(dataDir, 'files') });
  }
}
