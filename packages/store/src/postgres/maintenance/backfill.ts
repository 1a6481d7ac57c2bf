import type { ProjectId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../connection/pool.ts';
import { TAKES_LONG } from '../connection/settings.ts';
import { inTransaction } from '../connection/transaction.ts';
import { whatIsWrong } from '../expectations.ts';
import { NODE_COLUMNS } from '../nodes/walk.ts';
import { insertRows } from '../rows/insert.ts';
import { nodeOf } from '../rows/node.ts';
import { notRunning, turnRow } from '../rows/turn.ts';
import type { UpgradeReport } from '../../upgrade.ts';
import { missingTurns } from '../../upgrade.ts';
import type { Tables } from '../tables.ts';

/** How much a backfill did. */
export type BackfillCount = Pick<UpgradeReport, 'turns' | 'nodes'>;

/**
 * Gives turns to a project's nodes from before turns were stored, in one transaction. Idempotent. The turn ids are
 * derived from the user nodes' ids, so they are the same wherever and whenever it is done.
 */
export async function backfillProject(database: Database, project: ProjectId, dryRun = false): Promise<BackfillCount> {
  return inTransaction(
    database,
    (trx) => backfill(trx, project, dryRun),
    () => whatIsWrong(database, { project }),
  );
}

async function backfill(trx: Transaction<Tables>, project: ProjectId, dryRun: boolean): Promise<BackfillCount> {
  await sql.raw(TAKES_LONG).execute(trx);
  // Nothing may be added meanwhile: a reply without a turn, below a node that just got one, would be missed.
  const held = await trx.selectFrom('projects').select('id').where('id', '=', project).forUpdate().executeTakeFirst();
  if (held === undefined) throw new UnknownIdError('project', project);
  const rows = await trx
    .selectFrom('nodes')
    .select(NODE_COLUMNS)
    .where('project_id', '=', project)
    .orderBy('position')
    .execute();
  const { turns, assignments } = missingTurns(project, rows.map(nodeOf));
  const count = { turns: turns.length, nodes: assignments.size };
  if (dryRun) return count;
  await insertRows(
    trx,
    'turns',
    turns.map((turn) => turnRow(turn, notRunning(turn))),
  );
  await sql`
    UPDATE nodes SET turn_id = given.turn_id
    FROM unnest(${[...assignments.keys()]}::text[], ${[...assignments.values()]}::text[]) AS given (id, turn_id)
    WHERE nodes.project_id = ${project} AND nodes.id = given.id`.execute(trx);
  return count;
}
