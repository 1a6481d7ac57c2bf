import type { NodeId, ProjectId } from '@bough/core';
import { nodeId, UnknownIdError } from '@bough/core';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { HistoryPage, HistoryQuery, Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { repeatable } from '../connection/transaction.ts';
import { requireThere } from '../expectations.ts';
import { nodeColumns, parentOf } from '../nodes/walk.ts';
import type { StoredCall } from '../rows/call.ts';
import { callOf } from '../rows/call.ts';
import type { StoredNode } from '../rows/node.ts';
import { nodeOf } from '../rows/node.ts';
import type { StoredTurn } from '../rows/turn.ts';
import { turnOf } from '../rows/turn.ts';

export function historyMethods(database: Database): Pick<Store, 'history'> {
  return {
    history: async (project, query) => {
      const { rows } = await repeatable(database, (db) => historyStatement(project, query).execute(db));
      const [oldest] = rows;
      if (oldest === undefined) {
        // Nothing stands before a root; anything else that gives nothing is not there.
        await requireThere(database, { project, nodes: { present: [query.tip, query.before ?? null] } });
        return { nodes: [], turns: [], calls: [], siblings: {}, hasMore: false };
      }
      if (!oldest.tip_there) throw new UnknownIdError('node', query.tip);
      return pageOf(rows, oldest);
    },
  };
}

/** A node of the page. The oldest one carries what belongs to the page as a whole. */
export interface HistoryRow extends StoredNode {
  readonly siblings: readonly string[] | null;
  readonly turns: readonly StoredTurn[] | null;
  readonly calls: readonly StoredCall[] | null;
  readonly tip_there: boolean;
}

function pageOf(rows: readonly HistoryRow[], oldest: HistoryRow): HistoryPage {
  const siblings: Record<NodeId, readonly NodeId[]> = {};
  for (const row of rows) {
    if (row.siblings !== null && row.siblings.length > 1) siblings[nodeId(row.id)] = row.siblings.map(nodeId);
  }
  return {
    nodes: rows.map(nodeOf),
    turns: (oldest.turns ?? []).map(turnOf),
    calls: (oldest.calls ?? []).map(callOf),
    siblings,
    hasMore: oldest.parent_id !== null,
  };
}

/**
 * One statement for the whole page. It walks up from the tip, or from above `before`, and stops after `limit` turns: what it costs
 * depends on the page, not on the project, and not on how far back the page lies. `begun` counts the turns whose beginning was passed:
 * a turn begins at a user node that has no turn, or another turn than the node above it.
 */
export function historyStatement(project: ProjectId, { tip, before, limit }: HistoryQuery): RawBuilder<HistoryRow> {
  const start =
    before === undefined
      ? sql`SELECT nodes.* FROM nodes WHERE project_id = ${project} AND id = ${tip}`
      : sql`SELECT parent.* FROM nodes AS below ${parentOf('below', project)}
          WHERE below.project_id = ${project} AND below.id = ${before}`;
  const begins = sql`(walk.role = 'user' AND (walk.turn_id IS NULL OR walk.turn_id IS DISTINCT FROM parent.turn_id))::integer`;
  return sql<HistoryRow>`
    WITH RECURSIVE walk AS (
      SELECT ${nodeColumns('start')}, 0 AS up, 0 AS begun FROM (${start}) AS start
      UNION ALL
      SELECT ${nodeColumns('parent')}, walk.up + 1, walk.begun + ${begins}
      FROM walk ${parentOf('walk', project)}
      WHERE walk.begun + ${begins} < ${limit}
    ),
    named AS (SELECT turn_id, max(up) AS first FROM walk WHERE turn_id IS NOT NULL GROUP BY turn_id),
    page_turns AS (
      SELECT turns.*, named.first FROM named CROSS JOIN LATERAL (
        SELECT * FROM turns WHERE project_id = ${project} AND id = named.turn_id OFFSET 0
      ) AS turns
    ),
    page_calls AS (
      SELECT calls.*, named.first FROM named CROSS JOIN LATERAL (
        SELECT * FROM calls WHERE project_id = ${project} AND turn_id = named.turn_id OFFSET 0
      ) AS calls
    ),
    oldest AS (SELECT max(up) AS up FROM walk)
    SELECT
      walk.*,
      CASE WHEN walk.parent_id IS NULL
        THEN (SELECT json_agg(id ORDER BY position) FROM nodes WHERE project_id = ${project} AND parent_id IS NULL)
        ELSE (SELECT json_agg(id ORDER BY position) FROM nodes WHERE project_id = ${project} AND parent_id = walk.parent_id)
      END AS siblings,
      CASE WHEN walk.up = oldest.up THEN (SELECT json_agg(t ORDER BY first DESC) FROM page_turns AS t) END AS turns,
      CASE WHEN walk.up = oldest.up THEN (SELECT json_agg(c ORDER BY first DESC, position) FROM page_calls AS c) END AS calls,
      EXISTS (SELECT FROM nodes WHERE project_id = ${project} AND id = ${tip}) AS tip_there
    FROM walk CROSS JOIN oldest
    ORDER BY walk.up DESC`;
}
