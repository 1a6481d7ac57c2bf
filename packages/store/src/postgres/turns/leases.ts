import { turnId } from '@bough/core';
import { sql } from 'kysely';
import type { Store } from '../../store.ts';
import type { Clock } from '../clock.ts';
import { timeOf } from '../clock.ts';
import type { Database } from '../connection/pool.ts';
import { inTransaction, repeatable } from '../connection/transaction.ts';
import type { StoredTurn } from '../rows/turn.ts';
import { turnOf } from '../rows/turn.ts';
import { readTurn } from './read.ts';
import { notOwner, turnRunning } from './open-turn.ts';

type LeaseMethods = Pick<Store, 'renewLeases' | 'claimExpiredTurns' | 'claimTurn' | 'releaseTurn'>;

export function leaseMethods(database: Database, clock: Clock): LeaseMethods {
  return {
    // Locked in the same order as for the log.
    renewLeases: async (owner, turns, leaseMs) => {
      const { rows } = await repeatable(database, (db) =>
        sql<{ id: string }>`
          UPDATE turns SET lease_until = ${timeOf(clock)} + ${leaseMs}
          FROM (
            SELECT project_id, id FROM turns WHERE status = 'running' AND owner = ${owner} AND id = ANY(${turns})
            ORDER BY id COLLATE "C" FOR NO KEY UPDATE
          ) AS held
          WHERE turns.project_id = held.project_id AND turns.id = held.id RETURNING turns.id`.execute(db),
      );
      const held = new Set(rows.map(({ id }) => turnId(id)));
      return turns.filter((turn) => held.has(turn));
    },

    claimExpiredTurns: async (owner, leaseMs, graceMs = 0) => {
      const { rows } = await inTransaction(database, (trx) =>
        // Skipped, not waited for: a turn that another server is renewing or claiming belongs to that server.
        sql<StoredTurn>`
          UPDATE turns SET owner = ${owner}, lease_until = ${timeOf(clock)} + ${leaseMs}
          FROM (
            SELECT project_id, id FROM turns WHERE status = 'running' AND lease_until < ${timeOf(clock)} - ${graceMs}
            ORDER BY lease_until FOR NO KEY UPDATE SKIP LOCKED
          ) AS expired
          WHERE turns.project_id = expired.project_id AND turns.id = expired.id RETURNING turns.*`.execute(trx),
      );
      return rows.map(turnOf);
    },

    claimTurn: async (project, turn, owner, leaseMs) => {
      const { rows } = await inTransaction(database, (trx) =>
        sql<StoredTurn>`
          UPDATE turns SET status = 'running', owner = ${owner}, lease_until = ${timeOf(clock)} + ${leaseMs}
          WHERE project_id = ${project} AND id = ${turn} AND status = 'awaiting_approval' RETURNING *`.execute(trx),
      );
      const [claimed] = rows;
      if (claimed !== undefined) return turnOf(claimed);
      const { status } = await readTurn(database, project, turn);
      throw status === 'running' ? turnRunning(turn) : notOwner(turn);
    },

    releaseTurn: async (project, turn, owner, status) => {
      const { numUpdatedRows } = await inTransaction(database, (trx) =>
        trx
          .updateTable('turns')
          .set({ status, owner: null, lease_until: null })
          .where('project_id', '=', project)
          .where('id', '=', turn)
          .where('status', '=', 'running')
          .where('owner', '=', owner)
          .executeTakeFirst(),
      );
      if (numUpdatedRows > 0n) return;
      await readTurn(database, project, turn);
      throw notOwner(turn);
    },
  };
}
