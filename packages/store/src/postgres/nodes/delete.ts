import type { NodeId, ProjectId, TreeNode, TurnId } from '@bough/core';
import { branchId, nodeId, turnId, UnknownIdError } from '@bough/core';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { RemovalMode } from '../../removal.ts';
import { keptAbove } from '../../removal.ts';
import { reparented } from '../../reparented.ts';
import type { Store } from '../../store.ts';
import type { MovedPointer, TrashTicket } from '../../trash.ts';
import type { Database } from '../connection/pool.ts';
import { TAKES_LONG } from '../connection/settings.ts';
import { inTransaction } from '../connection/transaction.ts';
import { nothingThere } from '../expectations.ts';
import { nodeOf } from '../rows/node.ts';
import type { Tables } from '../tables.ts';
import { keepNodes } from '../trash/keep.ts';
import { OPEN, turnRunning } from '../turns/open-turn.ts';
import { NODE_COLUMNS } from './walk.ts';

export function deleteMethods(database: Database): Pick<Store, 'deleteNode' | 'deleteTurn'> {
  return {
    deleteNode: async (project, node, mode, ticket) => {
      const removed = await inTransaction(database, (trx) =>
        removeNodes(trx, project, { nodes: [node], turn: null, mode, ticket }),
      );
      if (removed.length > 0) return { removed };
      return nothingThere(database, { project, nodes: { present: [node] } }, new UnknownIdError('node', node));
    },
    deleteTurn: async (project, turn, mode, ticket) => {
      const removed = await inTransaction(database, async (trx) => {
        const found = await lockTurn(trx, project, turn);
        if (found === undefined) return null;
        if ((OPEN as readonly string[]).includes(found.status)) throw turnRunning(turn);
        const nodes = await nodesOf(trx, project, turn);
        const gone = await removeNodes(trx, project, { nodes, turn, mode, ticket });
        await trx.deleteFrom('turns').where('project_id', '=', project).where('id', '=', turn).execute();
        return gone;
      });
      if (removed !== null) return { removed };
      return nothingThere(database, { project, turns: { present: [turn] } }, new UnknownIdError('turn', turn));
    },
  };
}

interface Removal {
  readonly nodes: readonly NodeId[];
  /** Deleted as a whole; null where nodes are named. */
  readonly turn: TurnId | null;
  readonly mode: RemovalMode;
  readonly ticket: TrashTicket | undefined;
}

/** Removes nodes, or their whole subtrees. Calls, raw and renderings go with them through their keys. */
async function removeNodes(
  trx: Transaction<Tables>,
  project: ProjectId,
  { nodes, turn, mode, ticket }: Removal,
): Promise<readonly NodeId[]> {
  await sql.raw(TAKES_LONG).execute(trx);
  const subtree = await lockSubtree(trx, project, nodes);
  if (subtree.length === 0 && turn === null) return [];
  const below = subtree.map(({ id }) => id);
  await lockBranchesAt(trx, project, below);
  await refuseWhileTurnsRun(trx, project, below);
  const doomed = mode === 'cascade' ? below : nodes;
  const removed = new Set(doomed);
  const parents = new Map(subtree.map(({ id, parentId }) => [id, parentId]));
  const above = (id: NodeId): NodeId | null => keptAbove(id, removed, (node) => parents.get(node) ?? null);
  const pointers = await pointersTo(trx, project, doomed, above);
  const children = mode === 'reparent' ? await childrenOf(trx, project, doomed) : [];
  if (ticket !== undefined) {
    const handed = children.flatMap(({ id, parentId, matchKey }) =>
      parentId === null ? [] : [{ id, from: parentId, to: above(parentId), matchKey }],
    );
    await keepNodes(trx, ticket, { project, nodes: doomed, turn, moves: { pointers, children: handed } });
  }
  await moveBranches(trx, project, pointers);
  await handChildrenUp(trx, project, children, above);
  const turns = await turnsOf(trx, project, doomed);
  await trx.deleteFrom('nodes').where('project_id', '=', project).where(among('id', doomed)).execute();
  await sql`
    DELETE FROM turns WHERE project_id = ${project} AND ${among('id', turns)}
    AND NOT EXISTS (SELECT FROM nodes WHERE nodes.project_id = ${project} AND nodes.turn_id = turns.id)`.execute(trx);
  return doomed;
}

/** Locked, so that nobody adds nodes to it. */
async function lockTurn(trx: Transaction<Tables>, project: ProjectId, turn: TurnId) {
  return trx
    .selectFrom('turns')
    .select('status')
    .where('project_id', '=', project)
    .where('id', '=', turn)
    .forUpdate()
    .executeTakeFirst();
}

async function nodesOf(trx: Transaction<Tables>, project: ProjectId, turn: TurnId): Promise<readonly NodeId[]> {
  const rows = await trx
    .selectFrom('nodes')
    .select('id')
    .where('project_id', '=', project)
    .where('turn_id', '=', turn)
    .orderBy('position')
    .execute();
  return rows.map(({ id }) => nodeId(id));
}

async function turnsOf(
  trx: Transaction<Tables>,
  project: ProjectId,
  nodes: readonly NodeId[],
): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('nodes')
    .select('turn_id')
    .distinct()
    .where('project_id', '=', project)
    .where(among('id', nodes))
    .execute();
  return rows.flatMap(({ turn_id: turn }) => turn ?? []);
}

/**
 * Nodes and everything below them, locked. Adding a child needs its parent's lock, so the subtree is complete once two
 * passes find the same number of nodes.
 */
async function lockSubtree(
  trx: Transaction<Tables>,
  project: ProjectId,
  nodes: readonly NodeId[],
): Promise<readonly { readonly id: NodeId; readonly parentId: NodeId | null }[]> {
  for (let known = -1; ;) {
    const { rows } = await sql<{ id: string; parent_id: string | null }>`
      WITH RECURSIVE subtree AS (
        SELECT id, position, parent_id FROM nodes WHERE project_id = ${project} AND ${among('id', nodes)}
        UNION
        SELECT child.id, child.position, child.parent_id FROM subtree CROSS JOIN LATERAL (
          SELECT id, position, parent_id FROM nodes WHERE project_id = ${project} AND parent_id = subtree.id OFFSET 0
        ) AS child
      )
      SELECT id, parent_id FROM subtree ORDER BY position`.execute(trx);
    const ids = rows.map(({ id }) => nodeId(id));
    if (ids.length === known)
      return rows.map(({ id, parent_id: parent }) => ({
        id: nodeId(id),
        parentId: parent === null ? null : nodeId(parent),
      }));
    known = ids.length;
    await sql`SELECT FROM nodes WHERE project_id = ${project} AND ${among('id', ids)} ORDER BY position FOR UPDATE`.execute(
      trx,
    );
  }
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

async function pointersTo(
  trx: Transaction<Tables>,
  project: ProjectId,
  doomed: readonly NodeId[],
  above: (node: NodeId) => NodeId | null,
): Promise<readonly MovedPointer[]> {
  const found: MovedPointer[] = [];
  for (const pointer of ['tip', 'fork'] as const) {
    const column = COLUMN_OF[pointer];
    const pointing = await trx
      .selectFrom('branches')
      .select(['id', column])
      .where('project_id', '=', project)
      .where(among(column, doomed))
      .execute();
    for (const { id, [column]: node } of pointing)
      if (node !== null) found.push({ branchId: branchId(id), pointer, from: nodeId(node), to: above(nodeId(node)) });
  }
  return found;
}

async function moveBranches(
  trx: Transaction<Tables>,
  project: ProjectId,
  pointers: readonly MovedPointer[],
): Promise<void> {
  for (const { branchId: id, pointer, to } of pointers)
    await trx
      .updateTable('branches')
      .set({ [COLUMN_OF[pointer]]: to })
      .where('project_id', '=', project)
      .where('id', '=', id)
      .execute();
}

/** The children of removed nodes that stay. */
async function childrenOf(
  trx: Transaction<Tables>,
  project: ProjectId,
  doomed: readonly NodeId[],
): Promise<readonly TreeNode[]> {
  const children = await trx
    .selectFrom('nodes')
    .select(NODE_COLUMNS)
    .where('project_id', '=', project)
    .where(among('parent_id', doomed))
    .where(sql<boolean>`NOT ${among('id', doomed)}`)
    .execute();
  return children.map(nodeOf);
}

async function handChildrenUp(
  trx: Transaction<Tables>,
  project: ProjectId,
  children: readonly TreeNode[],
  above: (node: NodeId) => NodeId | null,
): Promise<void> {
  const moved = children.map((node) => reparented(node, node.parentId && above(node.parentId)));
  const ids = moved.map(({ id }) => id);
  const parents = moved.map(({ parentId }) => parentId);
  const keys = moved.map(({ matchKey }) => matchKey);
  await sql`
    UPDATE nodes SET parent_id = moved.parent_id, match_key = moved.match_key
    FROM unnest(${ids}::text[], ${parents}::text[], ${keys}::text[]) AS moved (id, parent_id, match_key)
    WHERE nodes.project_id = ${project} AND nodes.id = moved.id`.execute(trx);
}

const COLUMN_OF = { tip: 'tip_id', fork: 'forked_from_id' } as const;

function among(column: string, ids: readonly string[]) {
  return sql<boolean>`${sql.ref(column)} = ANY(${ids})`;
}
