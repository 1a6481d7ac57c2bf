import type { Turn } from '@bough/core';
import { turnId, UnknownIdError } from '@bough/core';
import type { BeginTurn, Store } from '../../store.ts';
import { refsOf, refsText, refValues, requireBlobs } from '../blobs/refs.ts';
import { tipMoved } from '../branches.ts';
import type { Clock } from '../clock.ts';
import { DATABASE_TIME } from '../clock.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { RECEIPT_PARAMETERS, receiptText } from '../connection/receipts.ts';
import type { Judged } from '../connection/transaction.ts';
import { inOneStatement } from '../connection/transaction.ts';
import { whatIsWrong } from '../expectations.ts';
import { needsOf, notAmong } from '../nodes/append.ts';
import { HOLD_PARENT, PARENT_IS_HELD, TIP_PARAMETERS, tipValues } from '../nodes/growth.ts';
import type { Amount } from '../rows/insert.ts';
import { amountOf, columnCount, insertText, insertValues } from '../rows/insert.ts';
import { branchRow } from '../rows/branch.ts';
import { nodeRow } from '../rows/node.ts';
import { renderingRow } from '../rows/rendering.ts';
import type { StoredTurn } from '../rows/turn.ts';
import { TURN_COLUMNS, turnOf } from '../rows/turn.ts';
import { OPEN_STATUSES, turnRunning } from './open-turn.ts';

export function beginMethods(database: Database, clock: Clock): Pick<Store, 'beginTurn'> {
  return {
    beginTurn: async (begin) => {
      const { turn, nodes, renderings = [], tip, newBranch } = begin;
      const { projectId: project } = turn;
      const needs = needsOf(project, nodes);
      const refs = refsOf(nodes);
      await requireBlobs(database, clock, project, refs);
      const amount = refs.length > 0 ? 'files' : amountOf(nodes);
      return inOneStatement(
        database,
        {
          statement: (newBranch ? FORK : BEGIN)[amount],
          values: (receipt) => [
            ...valuesOf(begin, clock, amount === 'one' ? 'one' : 'many'),
            ...receipt,
            ...branchValues(begin),
            ...refValues(refs),
          ],
          judge: (begun) => judge(database, begin, begun),
        },
        () =>
          // The next attempt sees and answers by itself what is not listed here (the branch is busy, the request is
          // known).
          whatIsWrong(database, {
            project,
            turns: { present: needs.turns.filter((id) => id !== turn.id), absent: [turn.id] },
            nodes: {
              present: [
                ...needs.nodes,
                ...[tip?.next, newBranch?.forkedFromId, ...renderings.map(({ nodeId }) => nodeId)].flatMap((id) =>
                  notAmong(nodes, id),
                ),
              ],
              absent: nodes.map(({ id }) => id),
            },
            blobs: refs.map(({ hash }) => hash),
            ...(newBranch && { branches: { absent: [newBranch.id] }, freeBranchName: newBranch.name }),
          }),
      );
    },
  };
}

interface Begun {
  readonly held: boolean;
  readonly running: string | null;
  readonly repeated: StoredTurn | null;
  readonly moved: boolean;
}

const NODES = TIP_PARAMETERS + 10;
const RENDERINGS = NODES + columnCount('nodes');
const RECEIPT = RENDERINGS + columnCount('renderings');
const BRANCH = RECEIPT + RECEIPT_PARAMETERS;
const REFS = { begin: BRANCH, fork: BRANCH + columnCount('branches') };

/** The branch is locked, so that it cannot be deleted while a turn begins on it. */
const ON_A_BRANCH = {
  held: `SELECT id FROM branches WHERE project_id = $1::text AND id = $6::text AND ${PARENT_IS_HELD} FOR KEY SHARE`,
  moved: `UPDATE branches SET tip_id = $5 FROM admitted
    WHERE project_id = $1 AND id = $3 AND tip_id IS NOT DISTINCT FROM $4 AND ${PARENT_IS_HELD}
    RETURNING id`,
};

/**
 * The branch begins with the turn, and its tip is where the turn leaves it. PostgreSQL requires every parameter to be
 * used.
 */
const ON_A_NEW_BRANCH = {
  held: `SELECT $6::text AS id, $3::text AS branch, $4::text AS expected, $5::text AS next WHERE ${PARENT_IS_HELD}`,
  moved: `${insertText('branches', BRANCH, 'admitted', 'one')} RETURNING id`,
};

/**
 * One statement. It does not see what others commit meanwhile (another turn on the branch, the same request); their
 * keys then refuse it, and the next attempt sees them.
 */
const beginning = ({ held, moved }: typeof ON_A_BRANCH, nodes: Amount, files = ''): string => `
  WITH ${HOLD_PARENT},
    held AS MATERIALIZED (${held}),
    running AS MATERIALIZED (
      SELECT id FROM turns WHERE project_id = $1 AND branch_id = $6 AND status IN (${OPEN_STATUSES})
    ),
    repeated AS MATERIALIZED (
      SELECT ${TURN_COLUMNS.join(', ')} FROM turns WHERE project_id = $1 AND client_request_id = $7::text
    ),
    admitted AS MATERIALIZED (
      SELECT WHERE ($6 IS NULL OR EXISTS (SELECT FROM held))
        AND NOT EXISTS (SELECT FROM running WHERE id <> $8::text) AND NOT EXISTS (SELECT FROM repeated)
    ),
    begun AS (
      INSERT INTO turns (
        project_id, id, branch_id, is_thinking_mode, status, created_at, client_request_id, owner, lease_until, interrupt_requested
      )
      SELECT $1, $8, $6, $9::boolean, $10::text, $11::text, $7, $12::text,
        coalesce($13::double precision, ${DATABASE_TIME}) + $14::double precision, false
      FROM admitted
    ),
    stored AS (${insertText('nodes', NODES, 'admitted', nodes)}),
    rendered AS (${insertText('renderings', RENDERINGS, 'admitted')} ON CONFLICT DO NOTHING),
    receipt AS (${receiptText(RECEIPT)}),
    ${files}
    moved AS (${moved})
  SELECT EXISTS (SELECT FROM held) AS held, (SELECT id FROM running LIMIT 1) AS running,
    (SELECT to_json(repeated) FROM repeated) AS repeated, EXISTS (SELECT FROM moved) AS moved`;

const BEGIN = {
  one: prepared<Begun>('begin_turn', beginning(ON_A_BRANCH, 'one')),
  many: prepared<Begun>('begin_turn_many', beginning(ON_A_BRANCH, 'many')),
  files: prepared<Begun>('begin_turn_files', beginning(ON_A_BRANCH, 'many', refsText(REFS.begin, 'admitted'))),
};
const FORK = {
  one: prepared<Begun>('fork_turn', beginning(ON_A_NEW_BRANCH, 'one')),
  many: prepared<Begun>('fork_turn_many', beginning(ON_A_NEW_BRANCH, 'many')),
  files: prepared<Begun>('fork_turn_files', beginning(ON_A_NEW_BRANCH, 'many', refsText(REFS.fork, 'admitted'))),
};

function valuesOf(
  { turn, owner, leaseMs, clientRequestId, nodes, renderings = [], tip }: BeginTurn,
  clock: Clock,
  amount: Amount,
): readonly unknown[] {
  return [
    ...tipValues(turn.projectId, nodes, tip),
    turn.branchId,
    clientRequestId ?? null,
    turn.id,
    turn.isThinkingMode,
    turn.status,
    turn.createdAt,
    owner,
    clock?.() ?? null,
    leaseMs,
    ...insertValues('nodes', nodes.map(nodeRow), amount),
    ...insertValues(
      'renderings',
      renderings.map((rendering) => renderingRow(turn.projectId, rendering)),
    ),
  ];
}

function branchValues({ newBranch, tip }: BeginTurn): readonly unknown[] {
  if (newBranch === undefined) return [];
  return insertValues('branches', [branchRow({ ...newBranch, tipId: tip?.next ?? newBranch.tipId })], 'one');
}

function judge(
  { db }: Database,
  { turn, tip }: BeginTurn,
  { held, running, repeated, moved }: Begun,
): Judged<{ readonly turn: Turn; readonly repeated: boolean }> {
  const { projectId: project, branchId: branch } = turn;
  if (branch !== null && !held) throw new UnknownIdError('branch', branch);
  if (repeated !== null) return { result: { turn: turnOf(repeated), repeated: true } };
  if (running !== null && running !== turn.id) throw turnRunning(turnId(running));
  if (tip && !moved) return { refuse: () => tipMoved(db, project, tip) };
  return { result: { turn, repeated: false } };
}
