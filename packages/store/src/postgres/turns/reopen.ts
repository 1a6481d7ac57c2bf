import type { ProjectId, Turn, TurnId } from '@bough/core';
import { branchId, UnknownIdError } from '@bough/core';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Store } from '../../store.ts';
import type { Clock } from '../clock.ts';
import { timeOf } from '../clock.ts';
import type { Database } from '../connection/pool.ts';
import { inTransaction } from '../connection/transaction.ts';
import { nothingThere } from '../expectations.ts';
import type { StoredTurn } from '../rows/turn.ts';
import { TURN_COLUMNS, turnOf } from '../rows/turn.ts';
import type { Tables } from '../tables.ts';
import { OPEN, openTurnOn, turnRunning } from './open-turn.ts';

export function reopenMethods(database: Database, clock: Clock): Pick<Store, 'reopenTurn'> {
  return {
    reopenTurn: async (project, turn, owner, leaseMs) => {
      const reopened = await inTransaction(
        database,
        async (trx) => {
          const held = await holdTurn(trx, project, turn);
          if (held === undefined) return null;
          await requireFree(trx, project, turnOf(held));
          await sql`DELETE FROM stream_log WHERE project_id = ${project} AND turn_id = ${turn}`.execute(trx);
          // A request to stop it was meant for what it did before.
          const { rows } = await sql<StoredTurn>`
            UPDATE turns SET status = 'running', owner = ${owner}, lease_until = ${timeOf(clock)} + ${leaseMs},
              interrupt_requested = false
            WHERE project_id = ${project} AND id = ${turn} RETURNING *`.execute(trx);
          return rows[0] ?? null;
        },
        // A turn that began meanwhile has its branch, by the key of open turns: the next attempt sees it.
        () => Promise.resolve(null),
      );
      if (reopened !== null) return turnOf(reopened);
      return nothingThere(database, { project, turns: { present: [turn] } }, new UnknownIdError('turn', turn));
    },
  };
}

/**
 * Locks the turn, and before it the project and the turn's last node, in the order of a deletion: that waits, and then
 * finds the turn running. The log is removed by a later statement, which sees every line that was there when the turn
 * ended.
 */
async function holdTurn(trx: Transaction<Tables>, project: ProjectId, turn: TurnId): Promise<StoredTurn | undefined> {
  const { rows } = await sql<StoredTurn>`
    WITH project AS MATERIALIZED (SELECT id FROM projects WHERE id = ${project} FOR KEY SHARE),
    last AS MATERIALIZED (
      SELECT id FROM nodes
      WHERE project_id = ${project} AND turn_id = ${turn} AND (SELECT count(*) FROM project) IS NOT NULL
      ORDER BY position DESC LIMIT 1 FOR KEY SHARE
    )
    SELECT ${sql.join(TURN_COLUMNS.map((column) => sql.ref(column)))} FROM turns
    WHERE project_id = ${project} AND id = ${turn} AND (SELECT count(*) FROM last) IS NOT NULL
    FOR NO KEY UPDATE`.execute(trx);
  return rows[0];
}

/** Neither the turn itself nor another one on its branch may run; the branch stays until the turn has ended. */
async function requireFree(trx: Transaction<Tables>, project: ProjectId, turn: Turn): Promise<void> {
  if ((OPEN as readonly string[]).includes(turn.status)) throw turnRunning(turn.id);
  if (turn.branchId === null) return;
  const { rows } = await sql`
    SELECT FROM branches WHERE project_id = ${project} AND id = ${turn.branchId} FOR KEY SHARE`.execute(trx);
  if (rows.length === 0) throw new UnknownIdError('branch', turn.branchId);
  const other = await openTurnOn(trx, project, branchId(turn.branchId));
  if (other !== null) throw turnRunning(other);
}
