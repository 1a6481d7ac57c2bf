import type { BlobHash, ProjectId, TreeNode } from '@bough/core';
import { blobsOf } from '@bough/core';
import { BlobError, HOLD_MS } from '../../blobs/index.ts';
import { StoreError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import type { Finding } from '../finding.ts';

/** Whether the files of a node are there, and are what their hashes say. Each is read once per project. */
export async function checkFiles(
  store: Store,
  project: ProjectId,
  { id, contentBlocks }: TreeNode,
  seen: Set<BlobHash>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const hash of blobsOf(contentBlocks)) {
    if (seen.has(hash)) continue;
    seen.add(hash);
    const about = { severity: 'error', projectId: project, subject: `node ${id}`, repair: null } as const;
    const state = await stateOf(store, project, hash);
    if (state === 'missing')
      findings.push({ ...about, code: 'file_missing', message: `Its file ${hash} is not stored. ${ADVICE}` });
    if (state === 'damaged')
      findings.push({ ...about, code: 'file_damaged', message: `Its file ${hash} has other bytes now. ${ADVICE}` });
  }
  return findings;
}

const ADVICE = 'Restore it from a backup, or upload the same file again.';

async function stateOf(store: Store, project: ProjectId, hash: BlobHash): Promise<'whole' | 'missing' | 'damaged'> {
  try {
    const read = await store.blobs.read(project, hash);
    if (read === undefined) return 'missing';
    let length = 0;
    for await (const piece of read.bytes) length += piece.length;
    return length === read.size ? 'whole' : 'damaged';
  } catch (error) {
    if (error instanceof BlobError || error instanceof StoreError) return 'damaged';
    throw error;
  }
}

/** Files that nothing refers to. Harmless: a server removes them by itself, a few hours later at most. */
export async function checkUnused(store: Store, now: number): Promise<readonly Finding[]> {
  const putBefore = new Date(now - HOLD_MS).toISOString();
  const unused = await store.blobs.sweep({ putBefore, dryRun: true });
  return unused.map(({ hash, size }) => ({
    code: 'file_unused',
    severity: 'note',
    projectId: null,
    subject: `file ${hash}`,
    message: `Nothing refers to it (${size} bytes).`,
    repair: { type: 'remove_unused_files', putBefore },
  }));
}
