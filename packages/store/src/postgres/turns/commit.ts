import { UnknownIdError } from '@bough/core';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Store, TurnCommit } from '../../store.ts';
import { moveTip } from '../branches.ts';
import type { PackedCall } from '../calls/write.ts';
import { insertCalls, packCalls } from '../calls/write.ts';
import type { Database } from '../connection/pool.ts';
import { inTransaction } from '../connection/transaction.ts';
import type { Expectations } from '../expectations.ts';
import { nothingThere, whatIsWrong } from '../expectations.ts';
import { insertNodes, needsOf, notAmong } from '../nodes/append.ts';
import { insertRows } from '../rows/insert.ts';
import { renderingRow } from '../rows/rendering.ts';
import type { Tables } from '../tables.ts';
import { notOwner } from './open-turn.ts';

export function commitMethods(database: Database): Pick<Store, 'commitTurn'> {
  return {
    commitTurn: async (commit) => {
      const expected = expectationsOf(commit);
      const calls = await packCalls(commit.calls);
      const found = await inTransaction(
        database,
        (trx) => commitTurn(trx, commit, calls),
        () => whatIsWrong(database, expected),
      );
      if (found) return;
      await nothingThere(
        database,
        { project: commit.projectId, turns: { present: [commit.turnId] } },
        new UnknownIdError('turn', commit.turnId),
      );
    },
  };
}

/** False where there is no such turn. */
async function commitTurn(
  trx: Transaction<Tables>,
  { projectId: project, turnId: turn, owner, nodes, renderings, tip, status }: TurnCommit,
  calls: readonly PackedCall[],
): Promise<boolean> {
  const held = await trx
    .selectFrom('turns')
    .select(['status', 'owner'])
    .where('project_id', '=', project)
    .where('id', '=', turn)
    // Against another owner's take-over, and against late lines of the log, which share-lock the turn.
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (held === undefined) return false;
  if (held.status !== 'running' || held.owner !== owner) throw notOwner(turn);

  await insertNodes(trx, nodes);
  await insertCalls(trx, calls);
  // A rendering that is there already was sent like that before; the prefix stays stable only if it stays what it was.
  await insertRows(
    trx,
    'renderings',
    renderings.map((rendering) => renderingRow(project, rendering)),
    sql`ON CONFLICT DO NOTHING`,
  );
  if (tip) await moveTip(trx, project, tip);
  if (status !== undefined) {
    await trx
      .updateTable('turns')
      .set({ status, owner: null, lease_until: null })
      .where('project_id', '=', project)
      .where('id', '=', turn)
      .execute();
  }
  return true;
}

function expectationsOf({ projectId: project, nodes, calls, renderings, tip }: TurnCommit): Expectations {
  const needs = needsOf(project, nodes);
  const referred = [...calls.map(({ call }) => call.nodeId), ...renderings.map(({ nodeId }) => nodeId), tip?.next];
  return {
    project,
    turns: { present: [...needs.turns, ...calls.map(({ call }) => call.turnId)] },
    nodes: {
      present: [...needs.nodes, ...referred.flatMap((id) => notAmong(nodes, id))],
      absent: nodes.map(({ id }) => id),
    },
    calls: { absent: calls.map(({ call }) => call.id) },
  };
}
