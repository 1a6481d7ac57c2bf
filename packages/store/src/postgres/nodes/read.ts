import type { NodeId, ProjectId, TreeNode } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { sql } from 'kysely';
import { StoreError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { repeatable } from '../connection/transaction.ts';
import { nothingThere, requireThere } from '../expectations.ts';
import type { StoredNode } from '../rows/node.ts';
import { nodeOf } from '../rows/node.ts';
import { fromTheRoot, NODE_COLUMNS, nodeColumns, WALK_TO_ROOT } from './walk.ts';

type NodeReads = Pick<
  Store,
  'findNode' | 'findTrail' | 'getNodes' | 'path' | 'children' | 'findChild' | 'setIncludeThinking'
>;

const PATH = prepared<StoredNode & { readonly up: number }>(
  'path',
  `WITH RECURSIVE ${WALK_TO_ROOT} SELECT ${nodeColumns('walk')}, up FROM walk`,
);

/**
 * The newest node with the first of the trails `$1` that has any, in the project `$2` or in all. The trails are looked
 * up one after the other, in their order, and no further than the first that is found.
 */
const TRAIL = prepared<StoredNode>(
  'find_trail',
  `SELECT ${nodeColumns('found')}
  FROM (SELECT trail, nth FROM unnest($1::text[]) WITH ORDINALITY AS given (trail, nth) ORDER BY nth) AS asked
  CROSS JOIN LATERAL (
    SELECT * FROM nodes
    WHERE nodes.trail = asked.trail AND nodes.trail IS NOT NULL AND ($2::text IS NULL OR nodes.project_id = $2::text)
    ORDER BY nodes.position DESC LIMIT 1
  ) AS found
  ORDER BY asked.nth LIMIT 1`,
);

export function nodeReads(database: Database): NodeReads {
  const unknownNode = (project: ProjectId, node: NodeId): Promise<never> =>
    nothingThere(database, { project, nodes: { present: [node] } }, new UnknownIdError('node', node));

  return {
    findNode: (node) =>
      repeatable(database, async (db) => {
        const [found, second] = await db
          .selectFrom('nodes')
          .select(NODE_COLUMNS)
          .where('id', '=', node)
          .limit(2)
          .execute();
        if (found === undefined) throw new UnknownIdError('node', node);
        if (second !== undefined) throw ambiguous(node, found, second);
        return nodeOf(found);
      }),

    findTrail: async (trails, project) => {
      const [found] = await repeatable(database, () => TRAIL.run(database, [trails, project ?? null]));
      if (found !== undefined) return nodeOf(found);
      if (project !== undefined) await requireThere(database, { project });
      return null;
    },

    getNodes: async (project, ids) => {
      const rows = await repeatable(database, (db) =>
        db
          .selectFrom('nodes')
          .select(NODE_COLUMNS)
          .where('project_id', '=', project)
          .where(sql<boolean>`id = ANY(${ids})`)
          .execute(),
      );
      const found = new Map(rows.map((row) => [row.id, nodeOf(row)]));
      const missing = ids.find((id) => !found.has(id));
      if (missing !== undefined) return unknownNode(project, missing);
      return ids.flatMap((id) => found.get(id) ?? []);
    },

    path: async (project, node) => {
      const rows = await repeatable(database, () => PATH.run(database, [project, node]));
      return rows.length === 0 ? unknownNode(project, node) : fromTheRoot(rows).map(nodeOf);
    },

    children: async (project, node) => {
      const rows = await repeatable(database, (db) =>
        db
          .selectFrom('nodes')
          .select(NODE_COLUMNS)
          .where('project_id', '=', project)
          .where('parent_id', node === null ? 'is' : '=', node)
          .orderBy('position')
          .execute(),
      );
      if (rows.length === 0) await requireThere(database, { project, nodes: { present: [node] } });
      return rows.map(nodeOf);
    },

    findChild: async (project, parent, matchKey) => {
      const found = await repeatable(database, (db) =>
        db
          .selectFrom('nodes')
          .select(NODE_COLUMNS)
          .where('project_id', '=', project)
          .where('parent_id', parent === null ? 'is' : '=', parent)
          .where('match_key', '=', matchKey)
          .orderBy('position')
          .limit(1)
          .executeTakeFirst(),
      );
      if (found !== undefined) return nodeOf(found);
      await requireThere(database, { project, nodes: { present: [parent] } });
      return null;
    },

    setIncludeThinking: async (project, node, include): Promise<TreeNode> => {
      const updated = await repeatable(database, (db) =>
        db
          .updateTable('nodes')
          .set({ include_thinking: include })
          .where('project_id', '=', project)
          .where('id', '=', node)
          .returning(NODE_COLUMNS)
          .executeTakeFirst(),
      );
      return updated === undefined ? unknownNode(project, node) : nodeOf(updated);
    },
  };
}

/** Ids are unique within a project. Picking one of two would be a guess. */
function ambiguous(node: NodeId, one: StoredNode, other: StoredNode): StoreError {
  return new StoreError(
    'ambiguous_id',
    node,
    `The node "${node}" is in the projects "${one.project_id}" and "${other.project_id}". Say which project is meant.`,
  );
}
