import type { NodeId, ProjectId } from '@bough/core';
import { nodeId, turnId, UnknownIdError } from '@bough/core';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import { reparented } from '../../reparented.ts';
import type { Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { TAKES_LONG } from '../connection/settings.ts';
import { inTransaction } from '../connection/transaction.ts';
import { nothingThere } from '../expectations.ts';
import { nodeOf } from '../rows/node.ts';
import type { Tables } from '../tables.ts';
import { OPEN, turnRunning } from '../turns/open-turn.ts';
import { NODE_COLUMNS } from './walk.ts';

export function deleteMethods(database: Database): Pick<Store, 'deleteNode'> {
  return {
    deleteNode: async (project, node, mode) => {
      const removed = await inTransaction(database, async (trx) => {
        await sql.raw(TAKES_LONG).execute(trx);
        const subtree = await lockSubtree(trx, project, node);
        if (subtree.length === 0) return null;
        const parent = await parentOf(trx, project, node);
        await lockBranchesAt(trx, project, subtree);
        await refuseWhileTurnsRun(trx, project, subtree);
        const doomed = mode === 'cascade' ? subtree : [node];
        await moveBranches(trx, project, doomed, parent);
        if (mode === 'reparent') await handChildrenTo(trx, project, node, parent);
        // Calls, raw and renderings are removed with their nodes through their keys.
        await trx.deleteFrom('nodes').where('project_id', '=', project).where(among('id', doomed)).execute();
        return doomed;
      });
      if (removed !== null) return { removed };
      return nothingThere(database, { project, nodes: { present: [node] } }, new UnknownIdError('node', node));
    },
  };
}

/**
 * The node and everything below it, locked. Adding a child needs its parent's lock, so the subtree is complete once two
 * passes find the same number of nodes.
 */
async function lockSubtree(trx: Transaction<Tables>, project: ProjectId, node: NodeId): Promise<readonly NodeId[]> {
  for (let known = -1; ;) {
    const { rows } = await sql<{ id: string }>`
      WITH RECURSIVE subtree AS (
        SELECT id, position FROM nodes WHERE project_id = ${project} AND id = ${node}
        UNION ALL
        SELECT child.id, child.position FROM subtree CROSS JOIN LATERAL (
          SELECT id, position FROM nodes WHERE project_id = ${project} AND parent_id = subtree.id OFFSET 0
        ) AS child
      )
      SELECT id FROM subtree ORDER BY position`.execute(trx);
    const ids = rows.map(({ id }) => nodeId(id));
    if (ids.length === known) return ids;
    known = ids.length;
    await sql`SELECT FROM nodes WHERE project_id = ${project} AND ${among('id', ids)} ORDER BY position FOR UPDATE`.execute(
      trx,
    );
  }
}

async function parentOf(trx: Transaction<Tables>, project: ProjectId, node: NodeId): Promise<NodeId | null> {
  const { parent_id: parent } = await trx
    .selectFrom('nodes')
    .select('parent_id')
    .where('project_id', '=', project)
    .where('id', '=', node)
    .executeTakeFirstOrThrow();
  return parent === null ? null : nodeId(parent);
}

/** A turn without a node of its own (a regeneration) begins by locking its branch: from now on it waits, or is seen. */
async function lockBranchesAt(trx: Transaction<Tables>, project: ProjectId, nodes: readonly NodeId[]): Promise<void> {
  await sql`SELECT FROM branches WHERE project_id = ${project} AND ${among('tip_id', nodes)} ORDER BY id FOR UPDATE`.execute(
    trx,
  );
}

async function refuseWhileTurnsRun(
  trx: Transaction<Tables>,
  project: ProjectId,
  nodes: readonly NodeId[],
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM turns WHERE project_id = ${project} AND status IN (${sql.join(OPEN)}) AND (
      id IN (SELECT turn_id FROM nodes WHERE project_id = ${project} AND ${among('id', nodes)})
      OR branch_id IN (SELECT id FROM branches WHERE project_id = ${project} AND ${among('tip_id', nodes)})
    ) LIMIT 1`.execute(trx);
  const running = rows[0];
  if (running !== undefined) throw turnRunning(turnId(running.id));
}

async function moveBranches(
  trx: Transaction<Tables>,
  project: ProjectId,
  doomed: readonly NodeId[],
  parent: NodeId | null,
): Promise<void> {
  for (const column of ['tip_id', 'forked_from_id'] as const) {
    await trx
      .updateTable('branches')
      .set({ [column]: parent })
      .where('project_id', '=', project)
      .where(among(column, doomed))
      .execute();
  }
}

async function handChildrenTo(
  trx: Transaction<Tables>,
  project: ProjectId,
  node: NodeId,
  parent: NodeId | null,
): Promise<void> {
  const children = await trx
    .selectFrom('nodes')
    .select(NODE_COLUMNS)
    .where('project_id', '=', project)
    .where('parent_id', '=', node)
    .execute();
  const moved = children.map((row) => reparented(nodeOf(row), parent));
  await sql`
    UPDATE nodes SET parent_id = ${parent}, match_key = moved.match_key
    FROM unnest(${moved.map(({ id }) => id)}::text[], ${moved.map(({ matchKey }) => matchKey)}::text[]) AS moved (id, match_key)
    WHERE nodes.project_id = ${project} AND nodes.id = moved.id`.execute(trx);
}

function among(column: string, ids: readonly string[]) {
  return sql<boolean>`${sql.ref(column)} = ANY(${ids})`;
}
