import type { BranchId, NodeId, ProjectId } from '@bough/core';
import { branchId, nodeId } from '@bough/core';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { repeatable } from '../connection/transaction.ts';

/** Of a project with many branches, the preferred ones are asked, and those on which the nodes were made. */
const MOST_BRANCHES = 40;

/**
 * For each of the nodes `$2`, the branch whose path has it: visible ones first, the last used first. The paths of all
 * branches are walked upwards together; a step that another branch has made before, for a better one, is not made
 * again.
 */
const LEADING = prepared<{ readonly node: string; readonly branch: string }>(
  'leading_branches',
  `WITH RECURSIVE preferred AS MATERIALIZED (
    SELECT branch.id, branch.tip_id, row_number() OVER (
      ORDER BY branch.hidden, greatest(branch.created_at COLLATE "C", tip.created_at COLLATE "C") DESC, branch.position
    ) AS nth
    FROM branches AS branch CROSS JOIN LATERAL (
      SELECT created_at FROM nodes WHERE nodes.id = branch.tip_id AND nodes.project_id = $1::text OFFSET 0
    ) AS tip
    WHERE branch.project_id = $1::text
  ), walk AS (
    SELECT tip_id AS node, id AS branch, nth FROM preferred
    WHERE nth <= ${MOST_BRANCHES} OR id IN (
      SELECT created_on_branch FROM nodes WHERE project_id = $1::text AND id = ANY($2::text[])
    )
    UNION ALL
    SELECT above.parent_id, walk.branch, walk.nth FROM walk CROSS JOIN LATERAL (
      SELECT parent_id FROM nodes WHERE nodes.id = walk.node AND nodes.project_id = $1::text OFFSET 0
    ) AS above WHERE above.parent_id IS NOT NULL
  )
  SELECT DISTINCT ON (node) node, branch FROM walk WHERE node = ANY($2::text[]) ORDER BY node, nth`,
);

export async function leadingBranches(
  database: Database,
  project: ProjectId,
  nodes: readonly NodeId[],
): Promise<ReadonlyMap<NodeId, BranchId>> {
  const rows = await repeatable(database, () => LEADING.run(database, [project, nodes]));
  return new Map(rows.map(({ node, branch }) => [nodeId(node), branchId(branch)]));
}
