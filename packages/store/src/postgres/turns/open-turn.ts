import type { BranchId, ProjectId, TurnId } from '@bough/core';
import { turnId } from '@bough/core';
import type { Kysely } from 'kysely';
import { ConflictError } from '../../errors.ts';
import type { Tables } from '../tables.ts';

/** A turn that runs or waits for an approval: it holds its branch, and its log is kept. */
export const OPEN = ['running', 'awaiting_approval'] as const;
/** The same as part of a statement. */
export const OPEN_STATUSES = OPEN.map((status) => `'${status}'`).join(', ');

export async function openTurnOn(db: Kysely<Tables>, project: ProjectId, branch: BranchId): Promise<TurnId | null> {
  const open = await db
    .selectFrom('turns')
    .select('id')
    .where('project_id', '=', project)
    .where('branch_id', '=', branch)
    .where('status', 'in', OPEN)
    .executeTakeFirst();
  return open === undefined ? null : turnId(open.id);
}

export function turnRunning(running: TurnId): ConflictError {
  return new ConflictError(
    'turn_running',
    `The turn "${running}" is not finished. Wait for it, or interrupt it.`,
    running,
  );
}

export function notOwner(turn: TurnId): ConflictError {
  return new ConflictError(
    'not_owner',
    `The turn "${turn}" is not run by this owner: it ended, or another took over.`,
    turn,
  );
}
