import type { NodeId, ProjectId } from '@bough/core';
import { nodeId, UnknownIdError } from '@bough/core';
import type { Kysely } from 'kysely';
import type { HistoryPage, HistoryQuery, Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { repeatable } from '../connection/transaction.ts';
import { requireThere } from '../expectations.ts';
import { nodeColumns, parentOf } from '../nodes/walk.ts';
import type { StoredCall } from '../rows/call.ts';
import { CALL_COLUMNS, callOf } from '../rows/call.ts';
import type { StoredNode } from '../rows/node.ts';
import { nodeOf } from '../rows/node.ts';
import type { StoredTurn } from '../rows/turn.ts';
import { TURN_COLUMNS, turnOf } from '../rows/turn.ts';
import type { Tables } from '../tables.ts';

export function historyMethods(database: Database): Pick<Store, 'history'> {
  return {
    history: async (project, query) => {
      const rows = await repeatable(database, (db) => readPage(db, project, query));
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
interface HistoryRow extends StoredNode {
  /** Of each node that has any, among them itself, in order of creation. */
  readonly siblings: readonly (readonly string[])[] | null;
  readonly roots: readonly string[] | null;
  readonly turns: readonly StoredTurn[] | null;
  readonly calls: readonly StoredCall[] | null;
  readonly tip_there: boolean;
}

function pageOf(rows: readonly HistoryRow[], oldest: HistoryRow): HistoryPage {
  return {
    nodes: rows.map(nodeOf),
    turns: (oldest.turns ?? []).map(turnOf),
    calls: (oldest.calls ?? []).map(callOf),
    siblings: siblingsOf(rows, [...(oldest.siblings ?? []), oldest.roots ?? []]),
    hasMore: oldest.parent_id !== null,
  };
}

function siblingsOf(
  rows: readonly HistoryRow[],
  groups: readonly (readonly string[])[],
): Readonly<Record<NodeId, readonly NodeId[]>> {
  const onPage = new Set(rows.map(({ id }) => id));
  const siblings: Record<NodeId, readonly NodeId[]> = {};
  for (const group of groups) {
    const node = group.length > 1 ? group.find((id) => onPage.has(id)) : undefined;
    if (node !== undefined) siblings[nodeId(node)] = group.map(nodeId);
  }
  return siblings;
}

const BEGINS = `(walk.role = 'user' AND (walk.turn_id IS NULL OR walk.turn_id IS DISTINCT FROM parent.turn_id))::integer`;

/** The rows of a table that belong to the turns of the page, in the order of the path, as JSON. */
function ofPageTurns(table: 'turns' | 'calls', key: 'id' | 'turn_id', columns: readonly string[]): string {
  return `(
    SELECT json_agg(to_json(found) ORDER BY named.first DESC, found.position) FROM named CROSS JOIN LATERAL (
      SELECT ${columns.join(', ')}, position FROM ${table} WHERE project_id = $1 AND ${key} = named.turn_id OFFSET 0
    ) AS found
  )`;
}

/**
 * One statement for the whole page. It walks up from `start` and stops after `$3` turns: what it costs depends on the page, not on the
 * project, and not on how far back the page lies. `begun` counts the turns whose beginning was passed: a turn begins at a user node that
 * has no turn, or another turn than the node above it.
 */
const pageFrom = (start: string, tipThere: string): string => `
  WITH RECURSIVE walk AS (
    SELECT ${nodeColumns('start')}, 0 AS up, 0 AS begun FROM (${start}) AS start
    UNION ALL
    SELECT ${nodeColumns('parent')}, walk.up + 1, walk.begun + ${BEGINS}
    FROM walk ${parentOf('walk')}
    WHERE walk.begun + ${BEGINS} < $3::integer
  ),
  named AS MATERIALIZED (SELECT turn_id, max(up) AS first FROM walk WHERE turn_id IS NOT NULL GROUP BY turn_id),
  oldest AS MATERIALIZED (SELECT max(up) AS up FROM walk),
  forks AS (
    SELECT json_agg(child.id ORDER BY child.position) AS ids FROM walk CROSS JOIN LATERAL (
      SELECT id, position FROM nodes WHERE project_id = $1 AND parent_id = walk.parent_id OFFSET 0
    ) AS child
    GROUP BY walk.up HAVING count(*) > 1
  )
  SELECT ${nodeColumns('walk')},
    CASE WHEN walk.up = oldest.up THEN (SELECT json_agg(ids) FROM forks) END AS siblings,
    CASE WHEN walk.parent_id IS NULL
      THEN (SELECT json_agg(id ORDER BY position) FROM nodes WHERE project_id = $1 AND parent_id IS NULL)
    END AS roots,
    CASE WHEN walk.up = oldest.up THEN ${ofPageTurns('turns', 'id', TURN_COLUMNS)} END AS turns,
    CASE WHEN walk.up = oldest.up THEN ${ofPageTurns('calls', 'turn_id', CALL_COLUMNS)} END AS calls,
    ${tipThere} AS tip_there
  FROM walk CROSS JOIN oldest
  ORDER BY walk.up DESC`;

const NEWEST_PAGE = prepared<HistoryRow>(
  'newest_page',
  pageFrom(`SELECT * FROM nodes WHERE project_id = $1::text AND id = $2::text`, 'true'),
);

const PAGE_BEFORE = prepared<HistoryRow>(
  'page_before',
  pageFrom(
    `SELECT parent.* FROM nodes AS below ${parentOf('below')} WHERE below.project_id = $1::text AND below.id = $4::text`,
    `EXISTS (SELECT FROM nodes WHERE project_id = $1 AND id = $2::text)`,
  ),
);

function readPage(db: Kysely<Tables>, project: ProjectId, query: HistoryQuery): Promise<readonly HistoryRow[]> {
  const { tip, before, limit } = query;
  return before === undefined
    ? NEWEST_PAGE.run(db, [project, tip, limit])
    : PAGE_BEFORE.run(db, [project, tip, limit, before]);
}
