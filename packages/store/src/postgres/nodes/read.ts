import type { NodeId, ProjectId, TreeNode } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { sql } from 'kysely';
import { StoreError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import { storablePart } from '../connection/exact-text.ts';
import type { Database } from '../connection/pool.ts';
import { prepared } from '../connection/prepared.ts';
import { repeatable } from '../connection/transaction.ts';
import { nothingThere, requireThere } from '../expectations.ts';
import type { StoredNode } from '../rows/node.ts';
import { fold, nodeOf } from '../rows/node.ts';
import { fromTheRoot, NODE_COLUMNS, nodeColumns, WALK_TO_ROOT } from './walk.ts';

type NodeReads = Pick<
  Store,
  'findNode' | 'getNodes' | 'path' | 'children' | 'findChild' | 'setIncludeThinking' | 'search'
>;

const PATH = prepared<StoredNode & { readonly up: number }>(
  'path',
  `WITH RECURSIVE ${WALK_TO_ROOT} SELECT ${nodeColumns('walk')}, up FROM walk`,
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

    search: async (project, text, limit) => {
      const rows = await repeatable(database, (db) =>
        db
          .selectFrom('nodes')
          .select(NODE_COLUMNS)
          .where('project_id', '=', project)
          .where('folded', 'like', `%${literally(storablePart(fold(text)))}%`)
          .orderBy('position', 'desc')
          .limit(limit)
          .execute(),
      );
      if (rows.length === 0) await requireThere(database, { project });
      return rows.map(nodeOf);
    },
  };
}

// `LIKE` gives these a special meaning.
function literally(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}

/** Ids are unique within a project. Picking one of two would be a guess. */
function ambiguous(node: NodeId, one: StoredNode, other: StoredNode): StoreError {
  return new StoreError(
    'ambiguous_id',
    node,
    `The node "${node}" is in the projects "${one.project_id}" and "${other.project_id}". Say which project is meant.`,
  );
}
