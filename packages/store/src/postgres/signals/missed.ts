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

interface OpenTurn {
  readonly project_id: string;
  readonly id: string;
  readonly status: string;
  readonly interrupt_requested: boolean;
}

/**
 * What may have been signalled while nobody listened, told from what is stored: where each log stands, which turns somebody
 * asked to stop, which wait for an approval, and that any project may have changed. A signal twice is harmless; a missed one
 * leaves somebody waiting.
 */
export async function missedSignals(database: Database): Promise<readonly StoreSignal[]> {
  return repeatable(database, async (db) => {
    const logs = await sql<LogEnd>`
      SELECT project_id, turn_id, max(seq) AS seq FROM stream_log GROUP BY project_id, turn_id`.execute(db);
    const turns = await sql<OpenTurn>`
      SELECT project_id, id, status, interrupt_requested FROM turns
      WHERE status IN (${sql.join(OPEN)}) AND (interrupt_requested OR status = 'awaiting_approval')`.execute(db);
    const projects = await db.selectFrom('projects').select('id').orderBy('position').execute();
    return [
      ...logs.rows.map(progressOf),
      ...turns.rows.flatMap(requestsOf),
      ...projects.map(({ id }): StoreSignal => ({ type: 'changed', projectId: projectId(id) })),
    ];
  });
}

function progressOf(end: LogEnd): StoreSignal {
  return { type: 'progress', projectId: projectId(end.project_id), turnId: turnId(end.turn_id), seq: end.seq };
}

function requestsOf(turn: OpenTurn): readonly StoreSignal[] {
  const ids = { projectId: projectId(turn.project_id), turnId: turnId(turn.id) };
  const signals: StoreSignal[] = [];
  if (turn.interrupt_requested) signals.push({ type: 'interrupt', ...ids });
  if (turn.status === 'awaiting_approval') signals.push({ type: 'approval', ...ids });
  return signals;
}
