import type { NodeId, ProjectId, TurnId } from '@bough/core';
import { branchId } from '@bough/core';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { HandedUp, MovedPointer, TrashEntry, TrashTicket } from '../../trash.ts';
import { titleOf } from '../../trash.ts';
import { NODE_COLUMNS } from '../nodes/walk.ts';
import { insertRows } from '../rows/insert.ts';
import { nodeOf } from '../rows/node.ts';
import type { Tables } from '../tables.ts';
import { keepBlobs, keepRows } from './rows.ts';

/** What a deletion moved, as it is stored. */
export interface Moves {
  readonly pointers: readonly MovedPointer[];
  readonly children: readonly HandedUp[];
}

export const NO_MOVES: Moves = { pointers: [], children: [] };

export async function addEntry(trx: Transaction<Tables>, entry: TrashEntry, moves: Moves): Promise<void> {
  const row = {
    id: entry.id,
    project_id: entry.projectId,
    entry: JSON.stringify(entry),
    moves: JSON.stringify(moves),
  };
  await insertRows(trx, 'trash', [row]);
}

export interface DoomedNodes {
  readonly project: ProjectId;
  /** The first one gives the entry its title. */
  readonly nodes: readonly NodeId[];
  /** Deleted as a whole; null where nodes are. */
  readonly turn: TurnId | null;
  readonly moves: Moves;
}

/** Puts nodes into the trash with everything that will be removed with them, before it is. */
export async function keepNodes(trx: Transaction<Tables>, ticket: TrashTicket, doomed: DoomedNodes): Promise<void> {
  const { project, nodes, turn, moves } = doomed;
  await addEntry(
    trx,
    {
      ...ticket,
      kind: turn === null ? 'node' : 'turn',
      projectId: project,
      projectName: await nameOfProject(trx, project),
      title: await titleOfNode(trx, project, nodes[0]),
      messages: nodes.length,
      branches: await movedTips(trx, project, moves.pointers),
    },
    moves,
  );
  const ids = [...nodes];
  const { id } = ticket;
  await keepRows(trx, id, 'nodes', sql`project_id = ${project} AND id = ANY(${ids})`);
  // The turns that stay are kept as well: they may be deleted before these nodes are restored.
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT turn_id AS id FROM nodes
    WHERE project_id = ${project} AND id = ANY(${ids}) AND turn_id IS NOT NULL`.execute(trx);
  const turns = [...new Set([...rows.map((row) => row.id), ...(turn === null ? [] : [turn])])];
  await keepRows(trx, id, 'turns', sql`project_id = ${project} AND id = ANY(${turns})`);
  const goes = sql`project_id = ${project} AND (node_id = ANY(${ids}) OR (turn_id = ANY(${turns}) AND NOT EXISTS (
    SELECT FROM nodes WHERE nodes.project_id = ${project} AND nodes.turn_id = kept.turn_id AND NOT nodes.id = ANY(${ids})
  )))`;
  await keepRows(trx, id, 'calls', goes);
  await keepRows(
    trx,
    id,
    'raws',
    sql`project_id = ${project} AND call_id IN (
      SELECT data::json ->> 'id' FROM trash_rows WHERE trash_id = ${id} AND kind = 'calls')`,
  );
  const ofThem = sql`project_id = ${project} AND node_id = ANY(${ids})`;
  await keepRows(trx, id, 'renderings', ofThem);
  await keepRows(trx, id, 'annotations', ofThem);
  await keepRows(trx, id, 'blob_refs', ofThem);
  await keepBlobs(trx, id, ofThem);
}

export async function nameOfProject(trx: Transaction<Tables>, project: ProjectId): Promise<string> {
  const row = await trx.selectFrom('projects').select('name').where('id', '=', project).executeTakeFirst();
  return row?.name ?? '';
}

async function titleOfNode(trx: Transaction<Tables>, project: ProjectId, node: NodeId | undefined): Promise<string> {
  if (node === undefined) return '';
  const row = await trx
    .selectFrom('nodes')
    .select(NODE_COLUMNS)
    .where('project_id', '=', project)
    .where('id', '=', node)
    .executeTakeFirst();
  return row === undefined ? '' : titleOf(nodeOf(row).content);
}

async function movedTips(
  trx: Transaction<Tables>,
  project: ProjectId,
  pointers: readonly MovedPointer[],
): Promise<TrashEntry['branches']> {
  const rows = await trx
    .selectFrom('branches')
    .select(['id', 'name'])
    .where('project_id', '=', project)
    .orderBy('position')
    .execute();
  return rows.flatMap(({ id, name }) => {
    const moved = pointers.find(({ branchId: branch, pointer }) => pointer === 'tip' && branch === id);
    return moved === undefined ? [] : [{ id: branchId(id), name, from: moved.from, to: moved.to }];
  });
}
