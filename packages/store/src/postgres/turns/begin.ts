import type { Turn } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Transaction } from 'kysely';
import type { BeginTurn, Store } from '../../store.ts';
import { moveTip } from '../branches.ts';
import type { Clock } from '../clock.ts';
import { readTime } from '../clock.ts';
import type { Database } from '../connection/pool.ts';
import { inTransaction } from '../connection/transaction.ts';
import { whatIsWrong } from '../expectations.ts';
import { insertNodes, needsOf, notAmong } from '../nodes/append.ts';
import { insertRows } from '../rows/insert.ts';
import { turnOf, turnRow } from '../rows/turn.ts';
import type { Tables } from '../tables.ts';
import { openTurnOn, turnRunning } from './open-turn.ts';

export function beginMethods(database: Database, clock: Clock): Pick<Store, 'beginTurn'> {
  return {
    beginTurn: async (begin) => {
      const { turn, nodes, tip } = begin;
      const { projectId: project } = turn;
      const needs = needsOf(project, nodes);
      return inTransaction(
        database,
        (trx) => beginTurn(trx, begin, clock),
        () =>
          // What is not listed here (the branch is busy, the request is known) the next attempt sees and answers by itself.
          whatIsWrong(database, {
            project,
            turns: { present: needs.turns.filter((id) => id !== turn.id), absent: [turn.id] },
            nodes: { present: [...needs.nodes, ...notAmong(nodes, tip?.next)], absent: nodes.map(({ id }) => id) },
          }),
      );
    },
  };
}

async function beginTurn(
  trx: Transaction<Tables>,
  { turn, owner, leaseMs, clientRequestId, nodes, tip }: BeginTurn,
  clock: Clock,
): Promise<{ readonly turn: Turn; readonly repeated: boolean }> {
  const { projectId: project, branchId: branch } = turn;
  if (branch !== null) await holdBranch(trx, turn.projectId, branch);
  const running = branch === null ? null : await openTurnOn(trx, project, branch);
  // Asked second: the turn that runs may be the one that this request began, committed between the two questions.
  const before = clientRequestId === undefined ? null : await turnOfRequest(trx, project, clientRequestId);
  if (before !== null) return { turn: before, repeated: true };
  if (running !== null && running !== turn.id) throw turnRunning(running);

  const lease = { owner, leaseUntil: (await readTime(trx, clock)) + leaseMs, clientRequestId: clientRequestId ?? null };
  await insertRows(trx, 'turns', [turnRow(turn, lease)]);
  await insertNodes(trx, nodes);
  if (tip) await moveTip(trx, project, tip);
  return { turn, repeated: false };
}

/** Keeps the branch from being deleted while a turn begins on it. */
async function holdBranch(
  trx: Transaction<Tables>,
  project: Turn['projectId'],
  branch: NonNullable<Turn['branchId']>,
): Promise<void> {
  const held = await trx
    .selectFrom('branches')
    .select('id')
    .where('project_id', '=', project)
    .where('id', '=', branch)
    .forKeyShare()
    .executeTakeFirst();
  if (held === undefined) throw new UnknownIdError('branch', branch);
}

async function turnOfRequest(
  trx: Transaction<Tables>,
  project: Turn['projectId'],
  clientRequestId: string,
): Promise<Turn | null> {
  const found = await trx
    .selectFrom('turns')
    .selectAll()
    .where('project_id', '=', project)
    .where('client_request_id', '=', clientRequestId)
    .executeTakeFirst();
  return found === undefined ? null : turnOf(found);
}
