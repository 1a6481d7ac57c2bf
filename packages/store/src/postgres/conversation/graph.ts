import { UnknownIdError } from '@bough/core';
import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { repeatable } from '../connection/transaction.ts';
import { branchOf } from '../rows/branch.ts';
import type { GraphTuple } from '../rows/graph-node.ts';
import { graphNodeOf } from '../rows/graph-node.ts';
import type { BranchRow } from '../tables.ts';

/** What the blocks of a merge begin with. */
const MERGE = '[{"type":"merge"';

interface GraphRow {
  readonly nodes: readonly GraphTuple[] | null;
  readonly branches: readonly Selectable<BranchRow>[] | null;
}

export function graphMethods(database: Database): Pick<Store, 'graph'> {
  return {
    graph: async (project) => {
      const { rows } = await repeatable(database, (db) =>
        // Arrays instead of objects: with ten column names at every node a large graph would be twice its size. Of
        // the blocks, only the beginning is looked at: a pasted book would be read for every drawing of its tree.
        // PostgreSQL itself cannot look into them, because a text may hold a zero.
        sql<GraphRow>`
          SELECT
            (
              SELECT json_agg(
                json_build_array(
                  id, parent_id, turn_id, role, created_on_branch, is_error, interrupted, model_used, created_at,
                  CASE WHEN role = 'user' AND left(content_blocks, ${MERGE.length}) = ${MERGE}
                    THEN content_blocks END
                ) ORDER BY position
              ) FROM nodes WHERE project_id = projects.id
            ) AS nodes,
            (SELECT json_agg(branches ORDER BY position) FROM branches WHERE project_id = projects.id) AS branches
          FROM projects WHERE id = ${project}`.execute(db),
      );
      const [found] = rows;
      if (found === undefined) throw new UnknownIdError('project', project);
      return { nodes: (found.nodes ?? []).map(graphNodeOf), branches: (found.branches ?? []).map(branchOf) };
    },
  };
}
