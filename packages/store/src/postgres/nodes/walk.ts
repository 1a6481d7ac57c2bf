import type { NodeId, ProjectId } from '@bough/core';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { StoredNode } from '../rows/node.ts';

/** The columns that repeatable a node takes: never the folded text, which only search reads. */
export const NODE_COLUMNS = [
  'project_id',
  'id',
  'parent_id',
  'turn_id',
  'created_on_branch',
  'role',
  'content_blocks',
  'content',
  'provider',
  'model_used',
  'tool_call_id',
  'availability',
  'thinking_truncated',
  'made_with_prefix',
  'previous_thinking',
  'is_error',
  'interrupted',
  'include_thinking',
  'match_key',
  'created_at',
] as const satisfies readonly (keyof StoredNode)[];

/** `alias.column, …` for every column of a node. */
export function nodeColumns(alias: string): RawBuilder<unknown> {
  return sql.join(NODE_COLUMNS.map((column) => sql.ref(`${alias}.${column}`)));
}

/**
 * The step from a node to its parent, as a join that can only be done by the primary key. Written as a plain join, the planner may
 * take a table without fresh statistics for small and read all of it, once per step.
 */
export function parentOf(child: string, project: ProjectId): RawBuilder<unknown> {
  return sql`
    CROSS JOIN LATERAL (
      SELECT * FROM nodes WHERE nodes.project_id = ${project} AND nodes.id = ${sql.ref(`${child}.parent_id`)} OFFSET 0
    ) AS parent`;
}

/** A recursive query named `walk`: a node and everything above it. `up` counts the steps. */
export function walkToRoot(project: ProjectId, from: NodeId): RawBuilder<unknown> {
  return sql`
    walk AS (
      SELECT ${nodeColumns('nodes')}, 0 AS up FROM nodes WHERE project_id = ${project} AND id = ${from}
      UNION ALL
      SELECT ${nodeColumns('parent')}, walk.up + 1 FROM walk ${parentOf('walk', project)}
    )`;
}
