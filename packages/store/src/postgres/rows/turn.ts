import type { Turn } from '@bough/core';
import { branchId, projectId, turnId } from '@bough/core';
import type { Insertable, Selectable } from 'kysely';
import type { TurnRow } from '../tables.ts';
import { nullable } from './nullable.ts';

/** Who runs a turn, for how long, and for which request. */
export interface Running {
  readonly owner: string | null;
  readonly leaseUntil: number | null;
  readonly clientRequestId: string | null;
}

/** For an imported turn: nobody runs it, so it can be taken over at once. */
export function notRunning(turn: Turn): Running {
  return { owner: null, leaseUntil: turn.status === 'running' ? 0 : null, clientRequestId: null };
}

export function turnRow(turn: Turn, running: Running): Insertable<TurnRow> {
  return {
    project_id: turn.projectId,
    id: turn.id,
    branch_id: turn.branchId,
    is_thinking_mode: turn.isThinkingMode,
    status: turn.status,
    created_at: turn.createdAt,
    client_request_id: running.clientRequestId,
    owner: running.owner,
    lease_until: running.leaseUntil,
    interrupt_requested: false,
  };
}

export const TURN_COLUMNS = [
  'project_id',
  'id',
  'branch_id',
  'is_thinking_mode',
  'status',
  'created_at',
] as const satisfies readonly (keyof TurnRow)[];

export type StoredTurn = Pick<Selectable<TurnRow>, (typeof TURN_COLUMNS)[number]>;

export function turnOf(row: StoredTurn): Turn {
  return {
    id: turnId(row.id),
    projectId: projectId(row.project_id),
    branchId: nullable(row.branch_id, branchId),
    isThinkingMode: row.is_thinking_mode,
    status: row.status as Turn['status'],
    createdAt: row.created_at,
  };
}
