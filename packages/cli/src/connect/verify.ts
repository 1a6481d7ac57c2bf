import { canonicalBlocks } from '@bough/core';
import { buildContentBlocksForProvider } from '@bough/providers';
import type { Store, VerifyOptions, VerifyReport } from '@bough/store';
import { verifyStore } from '@bough/store';

/**
 * Reads a whole store, including blocks against raw. Thinking is compared uncut: nodes were cut at the cap of their
 * time.
 */
export async function verifyWithRaw(store: Store, options: Pick<VerifyOptions, 'project'> = {}): Promise<VerifyReport> {
  return verifyStore(store, {
    ...options,
    blocksOfRaw: (raw) => canonicalBlocks(buildContentBlocksForProvider(raw), Number.POSITIVE_INFINITY).blocks,
  });
}
