import type { ProjectId, TreeNode } from '@bough/core';
import type { BranchTipMove } from '../branches.ts';

// Shared by the statements that grow a tree: they store nodes and move a tip, all or nothing.

/**
 * `$1` is the project, `$2` the parent of the first node; `$3`, `$4` and `$5` are the branch, its expected tip and the
 * next one.
 */
export const TIP_PARAMETERS = 5;

export function tipValues(
  project: ProjectId,
  nodes: readonly TreeNode[],
  tip: BranchTipMove | undefined,
): readonly unknown[] {
  return [project, nodes[0]?.parentId ?? null, tip?.branchId ?? null, tip?.expected ?? null, tip?.next ?? null];
}

/**
 * Locks the project and then the parent, as their keys would be locked at the end of the statement. A deletion locks
 * the project, or nodes and then the branches at them: holding a branch or a turn while waiting for one of these would
 * deadlock with it.
 */
export const HOLD_PARENT = `project AS MATERIALIZED (SELECT id FROM projects WHERE id = $1::text FOR KEY SHARE),
parent AS MATERIALIZED (
  SELECT id FROM nodes WHERE project_id = $1::text AND id = $2::text AND (SELECT count(*) FROM project) IS NOT NULL FOR KEY SHARE
)`;

/** True, but evaluated only once `parent` has been read. */
export const PARENT_IS_HELD = `(SELECT count(*) FROM parent) IS NOT NULL`;
