import { UnknownIdError } from '@bough/core';
import type { Store, TurnCommit } from '../../store.ts';
import { refsOf, refsText, refValues, requireBlobs } from '../blobs/refs.ts';
import { tipMoved } from '../branches.ts';
import type { Clock } from '../clock.ts';
import type { PackedCall } from '../calls/write.ts';
import { packCalls, rawRows } from '../calls/write.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { RECEIPT_PARAMETERS, receiptText } from '../connection/receipts.ts';
import type { Judged } from '../connection/transaction.ts';
import { inOneStatement } from '../connection/transaction.ts';
import type { Expectations } from '../expectations.ts';
import { nothingThere, whatIsWrong } from '../expectations.ts';
import type { Needs } from '../nodes/append.ts';
import { needsOf, notAmong } from '../nodes/append.ts';
import { HOLD_PARENT, PARENT_IS_HELD, TIP_PARAMETERS, tipValues } from '../nodes/growth.ts';
import { callRow } from '../rows/call.ts';
import type { Amount } from '../rows/insert.ts';
import { amountOf, columnCount, insertText, insertValues } from '../rows/insert.ts';
import { nodeRow } from '../rows/node.ts';
import { cachedTurnRow } from '../rows/cached-turn.ts';
import { renderingRow } from '../rows/rendering.ts';
import { spendingRow } from '../rows/spending.ts';
import { CUT_TEXT, inOneRun } from '../log/one-run.ts';
import { lineOf, summed } from '../../spending.ts';
import { notOwner } from './open-turn.ts';

export function commitMethods(database: Database, clock: Clock): Pick<Store, 'commitTurn'> {
  return {
    commitTurn: async (commit) => {
      const needs = needsOf(commit.projectId, commit.nodes);
      const expected = expectationsOf(commit, needs);
      const calls = await packCalls(commit.calls);
      const refs = refsOf(commit.nodes);
      await requireBlobs(database, clock, commit.projectId, refs);
      const amount = refs.length > 0 ? 'many' : amountOf(commit.nodes, calls, calls.flatMap(rawRows));
      const found = await inOneStatement(
        database,
        {
          statement: COMMIT[refs.length > 0 ? 'files' : amount],
          values: (receipt) => [...valuesOf(commit, calls, amount), ...receipt, ...refValues(refs)],
          judge: (committed) => judge(database, commit, committed),
        },
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

interface Committed {
  /** Null where there is no such turn. */
  readonly mine: boolean | null;
  readonly moved: boolean;
}

const NODES = TIP_PARAMETERS + 4;
const CALLS = NODES + columnCount('nodes');
const RAWS = CALLS + columnCount('calls');
const RENDERINGS = RAWS + columnCount('raws');
const CACHED_TURNS = RENDERINGS + columnCount('renderings');
const SPENDING = CACHED_TURNS + columnCount('cached_turns');
const LOG = SPENDING + columnCount('spending');
const RECEIPT = LOG + 4;

/**
 * One statement. The turn is locked against a take-over by another owner, and against late log lines, which share-lock
 * it.
 */
const committing = (amount: Amount, files = ''): string => `
  WITH ${HOLD_PARENT},
    held AS MATERIALIZED (
      SELECT status = 'running' AND owner IS NOT DISTINCT FROM $7::text AS mine
      FROM turns WHERE project_id = $1::text AND id = $6::text AND ${PARENT_IS_HELD} FOR NO KEY UPDATE
    ),
    allowed AS MATERIALIZED (SELECT FROM held WHERE mine),
    stored_nodes AS (${insertText('nodes', NODES, 'allowed', amount)}),
    stored_calls AS (${insertText('calls', CALLS, 'allowed', amount)}),
    stored_raws AS (${insertText('raws', RAWS, 'allowed', amount)}),
    -- A rendering that is there already was sent like that before; the prefix stays stable only if it stays what it was.
    stored_renderings AS (${insertText('renderings', RENDERINGS, 'allowed')} ON CONFLICT DO NOTHING),
    cached AS (
      ${insertText('cached_turns', CACHED_TURNS, 'allowed')}
      ON CONFLICT (node_id, slot, project_id) DO UPDATE
        SET key = excluded.key, facts = excluded.facts, bytes = excluded.bytes
        WHERE (cached_turns.key, cached_turns.facts) IS DISTINCT FROM (excluded.key, excluded.facts)
    ),
    spent AS (
      ${insertText('spending', SPENDING, 'allowed')}
      ON CONFLICT (day, project_id, client, provider, model) DO UPDATE SET
        calls = spending.calls + excluded.calls,
        uncounted = spending.uncounted + excluded.uncounted,
        unpriced = spending.unpriced + excluded.unpriced,
        input_tokens = spending.input_tokens + excluded.input_tokens,
        output_tokens = spending.output_tokens + excluded.output_tokens,
        cost = spending.cost + excluded.cost,
        cached_tokens = spending.cached_tokens + excluded.cached_tokens,
        written_tokens = spending.written_tokens + excluded.written_tokens,
        reasoning_tokens = spending.reasoning_tokens + excluded.reasoning_tokens
    ),
    logged AS (
      INSERT INTO stream_log (project_id, turn_id, seq, data)
      SELECT $1, $6, given.seq, ${CUT_TEXT}
      FROM allowed, (SELECT $${LOG}::bytea) AS texts (bytes),
        unnest($${LOG + 1}::bigint[], $${LOG + 2}::integer[], $${LOG + 3}::integer[]) AS given (seq, start, length)
    ),
    receipt AS (${receiptText(RECEIPT)}),
    ${files}
    moved AS (
      UPDATE branches SET tip_id = $5 FROM allowed
      WHERE project_id = $1 AND id = $3 AND tip_id IS NOT DISTINCT FROM $4 AND ${PARENT_IS_HELD}
      RETURNING id
    ),
    ended AS (
      UPDATE turns SET status = $8::text, owner = NULL, lease_until = NULL FROM allowed
      WHERE $8::text IS NOT NULL AND project_id = $1 AND id = $6
    )
  SELECT (SELECT mine FROM held) AS mine, EXISTS (SELECT FROM moved) AS moved`;

/** One node with its call and its raw, as most turns end; and any other amounts. */
const COMMIT = {
  one: prepared<Committed>('commit_turn', committing('one')),
  many: prepared<Committed>('commit_turn_many', committing('many')),
  files: prepared<Committed>(
    'commit_turn_files',
    committing('many', refsText(RECEIPT + RECEIPT_PARAMETERS, 'allowed')),
  ),
};

function valuesOf(
  { projectId: project, turnId: turn, owner, nodes, renderings, cachedTurns = [], tip, log = [], status }: TurnCommit,
  calls: readonly PackedCall[],
  amount: Amount,
): readonly unknown[] {
  const { bytes, starts, lengths } = inOneRun(log);
  return [
    ...tipValues(project, nodes, tip),
    turn,
    owner,
    status ?? null,
    ...insertValues('nodes', nodes.map(nodeRow), amount),
    ...insertValues(
      'calls',
      calls.map(({ call }) => callRow(call)),
      amount,
    ),
    ...insertValues('raws', calls.flatMap(rawRows), amount),
    ...insertValues(
      'renderings',
      renderings.map((rendering) => renderingRow(project, rendering)),
    ),
    ...insertValues(
      'cached_turns',
      cachedTurns.map((turn) => cachedTurnRow(project, turn)),
    ),
    ...insertValues('spending', summed(calls.map(({ call }) => lineOf(call))).map(spendingRow)),
    bytes,
    log.map(({ seq }) => seq),
    starts,
    lengths,
  ];
}

/** False where there is no such turn. */
function judge({ db }: Database, { projectId, turnId, tip }: TurnCommit, { mine, moved }: Committed): Judged<boolean> {
  if (mine === null) return { result: false };
  if (!mine) throw notOwner(turnId);
  return tip && !moved ? { refuse: () => tipMoved(db, projectId, tip) } : { result: true };
}

function expectationsOf(commit: TurnCommit, needs: Needs): Expectations {
  const { projectId: project, nodes, calls, renderings, cachedTurns = [], tip } = commit;
  const referred = [
    ...calls.map(({ call }) => call.nodeId),
    ...[...renderings, ...cachedTurns].map(({ nodeId }) => nodeId),
    tip?.next,
  ];
  return {
    project,
    turns: { present: [...needs.turns, ...calls.map(({ call }) => call.turnId)] },
    nodes: {
      present: [...needs.nodes, ...referred.flatMap((id) => notAmong(nodes, id))],
      absent: nodes.map(({ id }) => id),
    },
    calls: { absent: calls.map(({ call }) => call.id) },
    blobs: refsOf(nodes).map(({ hash }) => hash),
  };
}
