import { columnsWithout } from '../tables.ts';

/** The columns needed to read a node: never its lexemes, which only search reads. */
export const NODE_COLUMNS = columnsWithout('nodes', 'lexemes');

/** `alias.column, …` for every column of a node. */
export function nodeColumns(alias: string): string {
  return NODE_COLUMNS.map((column) => `${alias}.${column}`).join(', ');
}

/**
 * The step from a node to its parent in the project `$1`, as a join that can only use the primary key. With a plain
 * join, the planner may consider a table without fresh statistics small and read all of it, once per step.
 */
export function parentOf(child: string): string {
  return `CROSS JOIN LATERAL (
    SELECT * FROM nodes WHERE nodes.project_id = $1::text AND nodes.id = ${child}.parent_id OFFSET 0
  ) AS parent`;
}

/** A recursive query named `walk`: the node `$2` of the project `$1` and everything above it. `up` counts the steps. */
export const WALK_TO_ROOT = `walk AS (
  SELECT ${nodeColumns('nodes')}, 0 AS up FROM nodes WHERE project_id = $1::text AND id = $2::text
  UNION ALL
  SELECT ${nodeColumns('parent')}, walk.up + 1 FROM walk ${parentOf('walk')}
)`;

/**
 * Rows walked from the tip up, in order from the root down. Sorted here: the database would have to copy every row once
 * more.
 */
export function fromTheRoot<Row extends { readonly up: number }>(walked: readonly Row[]): readonly Row[] {
  return [...walked].sort((one, other) => other.up - one.up);
}
