import type { ProjectId } from '@bough/core';
import { branchId, freeName } from '@bough/core';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { TrashEntry } from '../../trash.ts';
import { nothingToReturnTo } from '../../trash.ts';
import { toStorable } from '../connection/exact-text.ts';
import { TAKES_LONG } from '../connection/settings.ts';
import { idTaken } from '../expectations.ts';
import type { TableName, Tables } from '../tables.ts';
import { openTurnOn } from '../turns/open-turn.ts';
import type { Moves } from './keep.ts';
import { fieldOfRows, returnRows } from './rows.ts';

/** Stores again what an entry holds. The caller removes the entry in the same transaction. */
export async function restoreEntry(trx: Transaction<Tables>, entry: TrashEntry, moves: Moves): Promise<void> {
  await sql.raw(TAKES_LONG).execute(trx);
  if (entry.kind === 'project') return restoreProject(trx, entry);
  const { projectId: project } = entry;
  const found = await sql`SELECT FROM projects WHERE id = ${project} FOR KEY SHARE`.execute(trx);
  if (found.rows.length === 0) throw nothingToReturnTo('project', project);
  return entry.kind === 'branch' ? restoreBranch(trx, entry) : restoreNodes(trx, entry, moves);
}

/** What others refer to comes first. */
const IN_A_PROJECT = [
  'projects',
  'foreign_documents',
  'turns',
  'nodes',
  'annotations',
  'blob_refs',
  'branches',
  'calls',
  'raws',
  'renderings',
  'stream_log',
] as const satisfies readonly TableName[];

async function restoreProject(trx: Transaction<Tables>, { id, projectId }: TrashEntry): Promise<void> {
  const taken = await trx.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst();
  if (taken !== undefined) throw idTaken('project', projectId);
  for (const table of IN_A_PROJECT) await returnRows(trx, id, table);
}

async function restoreBranch(trx: Transaction<Tables>, { id, projectId: project }: TrashEntry): Promise<void> {
  const [tip] = await fieldOfRows(trx, id, 'branches', 'tip_id');
  const [fork] = await fieldOfRows(trx, id, 'branches', 'forked_from_id');
  const there = await lockNodes(trx, project, [tip ?? null, fork ?? null]);
  if (tip != null && !there.has(tip)) throw nothingToReturnTo('node', tip);
  const rows = await trx.selectFrom('branches').select(['id', 'name']).where('project_id', '=', project).execute();
  const [own] = await fieldOfRows(trx, id, 'branches', 'id');
  if (rows.some((row) => row.id === own)) throw idTaken('branch', String(own));
  const [name] = await fieldOfRows(trx, id, 'branches', 'name');
  const free = freeName(String(name), new Set(rows.map((row) => row.name)));
  // Changed in the kept row: the name must be free when the row is stored.
  const keepsFork = fork == null || there.has(fork);
  const changes = { ...(free !== name && { name: toStorable(free) }), ...(!keepsFork && { forked_from_id: null }) };
  await sql`
    UPDATE trash_rows SET data = (data::jsonb || ${JSON.stringify(changes)}::jsonb)::text
    WHERE trash_id = ${id} AND kind = 'branches'`.execute(trx);
  await returnRows(trx, id, 'branches');
}

async function restoreNodes(trx: Transaction<Tables>, entry: TrashEntry, moves: Moves): Promise<void> {
  const { id, projectId: project } = entry;
  const ids = (await fieldOfRows(trx, id, 'nodes', 'id')).flatMap((node) => node ?? []);
  const parents = (await fieldOfRows(trx, id, 'nodes', 'parent_id')).filter(
    (node) => node === null || !ids.includes(node),
  );
  const there = await lockNodes(trx, project, parents);
  for (const parent of parents) if (parent !== null && !there.has(parent)) throw nothingToReturnTo('node', parent);
  const [taken] = await lockNodes(trx, project, ids);
  if (taken !== undefined) throw idTaken('node', taken);
  // A request that was repeated meanwhile belongs to the turn that it began then.
  await sql`
    UPDATE trash_rows SET data = (data::jsonb || '{"client_request_id": null}')::text
    WHERE trash_id = ${id} AND kind = 'turns' AND data::json ->> 'client_request_id' IN (
      SELECT client_request_id FROM turns WHERE project_id = ${project} AND client_request_id IS NOT NULL
    )`.execute(trx);
  await returnRows(trx, id, 'turns', sql`ON CONFLICT DO NOTHING`);
  for (const table of ['nodes', 'annotations', 'blob_refs', 'calls', 'raws', 'renderings'] as const)
    await returnRows(trx, id, table);
  for (const child of moves.children)
    await sql`
      UPDATE nodes SET parent_id = ${child.from}, match_key = ${child.matchKey}
      WHERE project_id = ${project} AND id = ${child.id} AND parent_id IS NOT DISTINCT FROM ${child.to}`.execute(trx);
  for (const { branchId: branch, pointer, from, to } of moves.pointers) {
    const column = pointer === 'tip' ? 'tip_id' : 'forked_from_id';
    // Locked first: a turn that begins meanwhile relies on the tip.
    await sql`SELECT FROM branches WHERE project_id = ${project} AND id = ${branch} FOR UPDATE`.execute(trx);
    if (pointer === 'tip' && (await openTurnOn(trx, project, branchId(branch))) !== null) continue;
    await trx
      .updateTable('branches')
      .set({ [column]: from })
      .where('project_id', '=', project)
      .where('id', '=', branch)
      .where(column, 'is not distinct from', to)
      .execute();
  }
}

/** Those of the nodes that exist, locked so that they are not deleted meanwhile. */
async function lockNodes(
  trx: Transaction<Tables>,
  project: ProjectId,
  nodes: readonly (string | null)[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM nodes WHERE project_id = ${project} AND id = ANY(${nodes}) ORDER BY position FOR KEY SHARE`.execute(
    trx,
  );
  return new Set(rows.map(({ id }) => id));
}
