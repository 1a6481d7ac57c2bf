import { projectId, turnId } from '@bough/core';
import { sql } from 'kysely';
import type { StoreSignal } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { repeatable } from '../connection/transaction.ts';
import { OPEN } from '../turns/open-turn.ts';

interface LogEnd {
  readonly project_id: string;
  readonly turn_id: string;
  readonly seq: number;
}

interface InterruptedTurn {
  readonly project_id: string;
  readonly id: string;
}

/**
 * What may have been signalled while nobody listened, reconstructed from what is stored: where each log ends, which
 * turns somebody asked to stop, and that any project may have changed. A repeated signal is harmless; a missed one
 * leaves somebody waiting.
 */
export async function missedSignals(database: Database): Promise<readonly StoreSignal[]> {
  return repeatable(database, async (db) => {
    const logs = await sql<LogEnd>`
      SELECT project_id, turn_id, max(seq) AS seq FROM stream_log GROUP BY project_id, turn_id`.execute(db);
    const turns = await sql<InterruptedTurn>`
      SELECT project_id, id FROM turns WHERE status IN (${sql.join(OPEN)}) AND interrupt_requested`.execute(db);
    const projects = await db.selectFrom('projects').select('id').orderBy('position').execute();
    return [
      ...logs.rows.map(progressOf),
      ...turns.rows.map(interruptOf),
      ...projects.map(({ id }): StoreSignal => ({ type: 'changed', projectId: projectId(id) })),
    ];
  });
}

function progressOf(end: LogEnd): StoreSignal {
  return { type: 'progress', projectId: projectId(end.project_id), turnId: turnId(end.turn_id), seq: end.seq };
}

function interruptOf({ project_id: project, id }: InterruptedTurn): StoreSignal {
  return { type: 'interrupt', projectId: projectId(project), turnId: turnId(id) };
}
