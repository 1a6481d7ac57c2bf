import type { BlobHash, ProjectId } from '@bough/core';
import { sql } from 'kysely';
import { HOLD_MS } from '../../blobs/index.ts';
import type { PutBlob } from '../../blobs/index.ts';
import type { Clock } from '../clock.ts';
import { timeOf } from '../clock.ts';
import type { Database } from '../connection/pool.ts';
import { repeatable } from '../connection/transaction.ts';

/** A blob is found if the project refers to it, or if it is held. */
export interface Where {
  readonly project: ProjectId | null;
  readonly held: boolean;
}

export interface FoundBlob extends PutBlob {
  readonly id: number;
}

export function findBlobs(
  database: Database,
  clock: Clock,
  { project, held }: Where,
  hashes: readonly BlobHash[],
): Promise<readonly FoundBlob[]> {
  const isHeld = held ? sql`put_at > ${timeOf(clock)} - ${HOLD_MS}::double precision` : sql`false`;
  return repeatable(database, async (db) => {
    const { rows } = await sql<FoundBlob>`
      SELECT id, hash, size FROM blobs WHERE hash = ANY(${[...hashes]}) AND (${isHeld} OR EXISTS (
        SELECT FROM blob_refs WHERE blob_refs.project_id = ${project} AND blob_refs.hash = blobs.hash
      ))`.execute(db);
    return rows;
  });
}
