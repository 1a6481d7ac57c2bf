import type { NodeId, ProjectId, TreeNode, TurnId } from '@bough/core';
import { nodeId, UnknownIdError } from '@bough/core';
import { historyRange } from '../../history-range.ts';
import type { HistoryPage, HistoryQuery, Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { repeatable } from '../connection/transaction.ts';
import { requireThere } from '../expectations.ts';
import { fromTheRoot, nodeColumns, parentOf } from '../nodes/walk.ts';
import type { StoredCall } from '../rows/call.ts';
import { CALL_COLUMNS, callOf } from '../rows/call.ts';
import type { StoredNode } from '../rows/node.ts';
import { nodeOf } from '../rows/node.ts';
import type { StoredTurn } from '../rows/turn.ts';
import { TURN_COLUMNS, turnOf } from '../rows/turn.ts';

export function historyMethods(database: Database): Pick<Store, 'history'> {
  return {
    history: async (project, asked) => {
      const query = await fromTheEnd(database, project, asked);
      if (query === null) return { nodes: [], turns: [], calls: [], siblings: {}, hasMore: true, hasNewer: false };
      const rows = await repeatable(database, () => readPage(database, project, query));
      const around = rows.find(({ up }) => up === 0)?.around;
      if (around == null) {
        // Nothing precedes a root; in any other case an empty result means that something does not exist.
        await requireThere(database, { project, nodes: { present: [query.tip, query.before ?? null] } });
        return { nodes: [], turns: [], calls: [], siblings: {}, hasMore: false, hasNewer: query.before !== undefined };
      }
      if (!around.tip_there) throw new UnknownIdError('node', query.tip);
      const page = pageOf(fromTheRoot(rows).map(nodeOf), around);
      return { ...page, hasNewer: page.nodes.at(-1)?.id !== asked.tip };
    },
  };
}

interface HistoryRow extends StoredNode {
  readonly up: number;
  /** Only on the node that the walk began at: what belongs to the page as a whole. */
  readonly around: Around | null;
}

interface Around {
  /** The children of each parent that has several, in order of creation. */
  readonly forks: readonly (readonly string[])[] | null;
  readonly roots: readonly string[] | null;
  readonly turns: readonly StoredTurn[] | null;
  readonly calls: readonly StoredCall[] | null;
  readonly tip_there: boolean;
}

function pageOf(nodes: readonly TreeNode[], { forks, roots, turns, calls }: Around): Omit<HistoryPage, 'hasNewer'> {
  const inOrderOfPath = byTurnOf(nodes);
  return {
    nodes,
    turns: inOrderOfPath(turns ?? [], ({ id }) => id).map(turnOf),
    calls: inOrderOfPath(calls ?? [], ({ turn_id: turn }) => turn).map(callOf),
    siblings: siblingsOf(nodes, [...(forks ?? []), roots ?? []]),
    hasMore: nodes[0]?.parentId != null,
  };
}

/** Sorts what belongs to turns by where each turn begins on the path; within a turn the order is kept. */
function byTurnOf(nodes: readonly TreeNode[]) {
  const places = new Map<string | null, number>();
  for (const [place, { turnId }] of nodes.entries()) if (!places.has(turnId)) places.set(turnId, place);
  return <Row>(rows: readonly Row[], turnOfRow: (row: Row) => string): readonly Row[] => {
    const placeOf = (row: Row): number => places.get(turnOfRow(row)) ?? 0;
    return [...rows].sort((one, other) => placeOf(one) - placeOf(other));
  };
}

function siblingsOf(
  nodes: readonly TreeNode[],
  groups: readonly (readonly string[])[],
): Readonly<Record<NodeId, readonly NodeId[]>> {
  const onPage = new Set<string>(nodes.map(({ id }) => id));
  const siblings: Record<NodeId, readonly NodeId[]> = {};
  for (const group of groups) {
    const node = group.length > 1 ? group.find((id) => onPage.has(id)) : undefined;
    if (node !== undefined) siblings[nodeId(node)] = group.map(nodeId);
  }
  return siblings;
}

const BEGINS = `(walk.role = 'user' AND (walk.turn_id IS NULL OR walk.turn_id IS DISTINCT FROM parent.turn_id))::integer`;

/** The rows of `found` for each turn of the page, as JSON. */
function ofPageTurns(found: string): string {
  return `(SELECT json_agg(to_json(found)) FROM named CROSS JOIN LATERAL (${found}) AS found)`;
}

const TURNS = ofPageTurns(
  `SELECT ${TURN_COLUMNS.join(', ')} FROM turns WHERE project_id = $1 AND id = named.turn_id OFFSET 0`,
);
const CALLS = ofPageTurns(
  `SELECT ${CALL_COLUMNS.join(', ')} FROM calls WHERE project_id = $1 AND turn_id = named.turn_id ORDER BY position`,
);

/** The children of one node, or the roots, in order of creation, as JSON. */
function childrenOf(parent: string): string {
  return `(SELECT json_agg(id ORDER BY position) FROM nodes WHERE project_id = $1 AND parent_id ${parent})`;
}

/**
 * One statement for the whole page. It walks up from `start` and stops after `$3` turns: its cost depends on the page,
 * not on the project or on how far back the page is. `begun` counts the turns whose beginning was passed: a turn begins
 * at a user node that has no turn, or a different turn than the node above it.
 */
const pageFrom = (start: string, tipThere: string): string => `
  WITH RECURSIVE walk AS (
    SELECT ${nodeColumns('start')}, 0 AS up, 0 AS begun FROM (${start}) AS start
    UNION ALL
    SELECT ${nodeColumns('parent')}, walk.up + 1, walk.begun + ${BEGINS}
    FROM walk ${parentOf('walk')}
    WHERE walk.begun + ${BEGINS} < $3::integer
  ),
  named AS MATERIALIZED (SELECT DISTINCT turn_id FROM walk WHERE turn_id IS NOT NULL),
  forks AS (
    SELECT parent_id FROM walk CROSS JOIN LATERAL (
      SELECT count(*) AS children FROM nodes WHERE project_id = $1 AND nodes.parent_id = walk.parent_id
    ) AS counted WHERE children > 1
  )
  SELECT ${nodeColumns('walk')}, walk.up,
    CASE WHEN walk.up = 0 THEN json_build_object(
      'forks', (SELECT json_agg(${childrenOf('= forks.parent_id')}) FROM forks),
      'roots', CASE WHEN EXISTS (SELECT FROM walk WHERE parent_id IS NULL) THEN ${childrenOf('IS NULL')} END,
      'turns', ${TURNS},
      'calls', ${CALLS},
      'tip_there', ${tipThere}
    ) END AS around
  FROM walk`;

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

function readPage(database: Database, project: ProjectId, query: HistoryQuery): Promise<readonly HistoryRow[]> {
  const { tip, before, limit } = query;
  return before === undefined
    ? NEWEST_PAGE.run(database, [project, tip, limit])
    : PAGE_BEFORE.run(database, [project, tip, limit, before]);
}

interface PathRow {
  readonly id: NodeId;
  readonly role: TreeNode['role'];
  readonly turn_id: TurnId | null;
}

/** The path from the node `$3` (or from the root) down to the node `$2`: what is needed to count its turns. */
const PATH_FROM = prepared<PathRow>(
  'path_from',
  `WITH RECURSIVE walk AS (
    SELECT id, parent_id, role, turn_id, 0 AS up FROM nodes WHERE project_id = $1::text AND id = $2::text
    UNION ALL
    SELECT parent.id, parent.parent_id, parent.role, parent.turn_id, walk.up + 1
    FROM walk ${parentOf('walk')}
    WHERE walk.id IS DISTINCT FROM $3::text
  )
  SELECT id, role, turn_id FROM walk ORDER BY up DESC`,
);

/**
 * A page after or around a node as the newest page of a shorter path: parents are known, children only by looking down
 * from the tip. Null where nothing follows.
 */
async function fromTheEnd(database: Database, project: ProjectId, query: HistoryQuery): Promise<HistoryQuery | null> {
  const { tip, after, around } = query;
  if (after === undefined && around === undefined) return query;
  const rows = await repeatable(database, () => PATH_FROM.run(database, [project, tip, after ?? around ?? null]));
  if (rows.length === 0) await requireThere(database, { project, nodes: { present: [tip] } });
  const path = rows.map(({ id, role, turn_id: turnId }) => ({ id, role, turnId }));
  const { end, turns } = historyRange(path, query);
  const last = path[end - 1];
  if (last === undefined || turns === 0) return null;
  return { tip: last.id, limit: around === undefined ? turns : query.limit };
}
