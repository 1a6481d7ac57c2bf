import type { ProjectId, TreeNode } from '@bough/core';
import { blobHash, blobsOf } from '@bough/core';
import { missingBlob } from '../../blobs/index.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../connection/pool.ts';
import { insertText, insertValues } from '../rows/insert.ts';
import type { BlobRefRow } from '../tables.ts';
import { findBlobs } from './find.ts';

// Which nodes refer to which blobs. The statements that store nodes have a variant for nodes with files: the usual
// message has none, and should not pay for them.

export function refsOf(nodes: readonly TreeNode[]): readonly BlobRefRow[] {
  return nodes.flatMap(({ projectId, id, contentBlocks }) =>
    blobsOf(contentBlocks).map((hash) => ({ project_id: projectId, node_id: id, hash })),
  );
}

/** A part of a statement that stores references, with parameters from `$first` on. */
export const refsText = (first: number, given = ''): string => `refs AS (${insertText('blob_refs', first, given)}),`;

export const refValues = (refs: readonly BlobRefRow[]): readonly unknown[] =>
  refs.length === 0 ? [] : insertValues('blob_refs', refs);

/**
 * Refuses nodes whose files are neither held nor in their project. One that is removed after this check is refused by
 * its key.
 */
export async function requireBlobs(
  database: Database,
  clock: Clock,
  project: ProjectId | null,
  refs: readonly BlobRefRow[],
): Promise<void> {
  const hashes = [...new Set(refs.map(({ hash }) => blobHash(hash)))];
  if (hashes.length === 0) return;
  const found = new Set((await findBlobs(database, clock, { project, held: true }, hashes)).map(({ hash }) => hash));
  const missing = hashes.find((hash) => !found.has(hash));
  if (missing !== undefined) throw missingBlob(missing);
}
