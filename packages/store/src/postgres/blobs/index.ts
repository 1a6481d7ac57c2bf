import type { ProjectId } from '@bough/core';
import { blobHash } from '@bough/core';
import { sql } from 'kysely';
import type { BlobStore, PutBlob } from '../../blobs/index.ts';
import { checked, damagedBlob, HOLD_MS, inPieces } from '../../blobs/index.ts';
import type { Clock } from '../clock.ts';
import { timeOf } from '../clock.ts';
import type { Database } from '../connection/pool.ts';
import { TAKES_LONG } from '../connection/settings.ts';
import { inTransaction, repeatable } from '../connection/transaction.ts';
import type { FoundBlob, Where } from './find.ts';
import { findBlobs } from './find.ts';

export function blobMethods(database: Database, clock: Clock): BlobStore {
  return {
    put: (source, { limit }) => put(database, clock, source, limit),
    read: async (scope, hash, start = 0) => {
      const [found] = await findBlobs(database, clock, whereIn(scope), [hash]);
      if (found === undefined) return undefined;
      const bytes = piecesOf(database, found, start);
      return { size: found.size, bytes: start === 0 ? checked(bytes, hash) : bytes };
    },
    has: async (scope, hashes) => {
      const found = hashes.length === 0 ? [] : await findBlobs(database, clock, whereIn(scope), hashes);
      return new Set(found.map(({ hash }) => hash));
    },
    sweep: async ({ putBefore, dryRun = false }) => {
      const before = Date.parse(putBefore);
      const unused = await unusedBlobs(database, before);
      if (dryRun) return unused;
      await removeCutOff(database, clock, before);
      const removed: PutBlob[] = [];
      for (const blob of unused) if (await removeUnused(database, blob.hash, before)) removed.push(blob);
      return removed;
    },
  };
}

const whereIn = (scope: ProjectId | null): Where => ({ project: scope, held: scope === null });

/**
 * Pieces are stored as they come, each by itself: nothing waits for a whole file, and no transaction stays open while
 * somebody uploads. The last step gives the blob its hash; until then nobody can find it.
 */
async function put(
  database: Database,
  clock: Clock,
  source: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<PutBlob> {
  const id = await repeatable(database, async (db) => {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO blobs (put_at) VALUES (${timeOf(clock)}) RETURNING id`.execute(db);
    return rows[0]?.id ?? 0;
  });
  try {
    const { pieces, finish } = inPieces(source, limit);
    let start = 0;
    for await (const bytes of pieces) {
      const at = start;
      await repeatable(database, (db) =>
        sql`INSERT INTO blob_pieces (blob_id, start, bytes) VALUES (${id}, ${at}, ${bytes})
          ON CONFLICT DO NOTHING`.execute(db),
      );
      start += bytes.length;
    }
    const whole = finish();
    await name(database, clock, id, whole);
    return whole;
  } catch (error) {
    // Where this fails too, the next sweep removes it: it has no hash.
    await discard(database, id).catch(() => undefined);
    throw error;
  }
}

/** Of two that are put at once, the second one finds the first, at the latest when its hash is refused. */
async function name(database: Database, clock: Clock, id: number, { hash, size }: PutBlob): Promise<void> {
  await inTransaction(
    database,
    async (trx) => {
      // Locked: one that is being removed is gone afterwards, and any other stays, because it is held from now on.
      const { rows } = await sql<{ id: number }>`
        UPDATE blobs SET put_at = greatest(put_at, ${timeOf(clock)}) WHERE hash = ${hash} AND id <> ${id}
        RETURNING id`.execute(trx);
      const [there] = rows;
      if (there === undefined) {
        await sql`
          UPDATE blobs SET hash = ${hash}, size = ${size}, put_at = ${timeOf(clock)} WHERE id = ${id}`.execute(trx);
        return;
      }
      // It gets the new bytes, which are the same, unless its own were damaged.
      await sql`DELETE FROM blob_pieces WHERE blob_id = ${there.id}`.execute(trx);
      await sql`UPDATE blob_pieces SET blob_id = ${there.id} WHERE blob_id = ${id}`.execute(trx);
      await sql`DELETE FROM blobs WHERE id = ${id} AND hash IS NULL`.execute(trx);
    },
    () => Promise.resolve(null),
  );
}

async function discard(database: Database, id: number): Promise<void> {
  await repeatable(database, (db) => sql`DELETE FROM blobs WHERE id = ${id} AND hash IS NULL`.execute(db));
}

/** One piece per statement: a reader may be slow, and must not hold a connection meanwhile. */
async function* piecesOf(database: Database, { id, hash, size }: FoundBlob, start: number): AsyncIterable<Uint8Array> {
  for (let position = start; position < size;) {
    const at = position;
    const { rows } = await repeatable(database, (db) =>
      sql<{ start: number; bytes: Buffer }>`
        SELECT start, bytes FROM blob_pieces WHERE blob_id = ${id} AND start <= ${at}
        ORDER BY start DESC LIMIT 1`.execute(db),
    );
    const [piece] = rows;
    const bytes = piece?.bytes.subarray(at - piece.start);
    if (bytes === undefined || bytes.length === 0) throw damagedBlob(hash);
    position += bytes.length;
    yield bytes;
  }
}

const UNUSED = sql`NOT EXISTS (SELECT FROM blob_refs WHERE blob_refs.hash = blobs.hash)
  AND NOT EXISTS (SELECT FROM trash_blobs WHERE trash_blobs.hash = blobs.hash)`;

async function unusedBlobs(database: Database, before: number): Promise<readonly PutBlob[]> {
  return inTransaction(database, async (trx) => {
    await sql.raw(TAKES_LONG).execute(trx);
    const { rows } = await sql<{ hash: string; size: number }>`
      SELECT hash, size FROM blobs WHERE hash IS NOT NULL AND put_at < ${before} AND ${UNUSED}
      ORDER BY id`.execute(trx);
    return rows.map(({ hash, size }) => ({ hash: blobHash(hash), size }));
  });
}

/**
 * Locks the blob first and looks again afterwards: whoever refers to it meanwhile either comes before the lock and is
 * seen, or waits for it and finds the blob gone. Whoever puts it again waits as well, and stores it anew.
 */
async function removeUnused(database: Database, hash: string, before: number): Promise<boolean> {
  return inTransaction(database, async (trx) => {
    await sql.raw(TAKES_LONG).execute(trx);
    const { rows } = await sql`
      SELECT FROM blobs WHERE hash = ${hash} AND put_at < ${before} FOR UPDATE`.execute(trx);
    if (rows.length === 0) return false;
    const { numAffectedRows } = await sql`DELETE FROM blobs WHERE hash = ${hash} AND ${UNUSED}`.execute(trx);
    return numAffectedRows === 1n;
  });
}

/** Never one that began lately, whatever the given time: somebody may still be uploading it. */
async function removeCutOff(database: Database, clock: Clock, before: number): Promise<void> {
  const latest = sql`least(${before}::double precision, ${timeOf(clock)} - ${HOLD_MS}::double precision)`;
  await repeatable(database, (db) => sql`DELETE FROM blobs WHERE hash IS NULL AND put_at < ${latest}`.execute(db));
}
