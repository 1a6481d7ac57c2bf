import type { Project, ProjectId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Kysely, Transaction, Updateable } from 'kysely';
import { sql } from 'kysely';
import { requireName } from '../errors.ts';
import type { ProjectPatch, Store } from '../store.ts';
import type { Database } from './connection/pool.ts';
import { TAKES_LONG } from './connection/settings.ts';
import { inTransaction, repeatable } from './connection/transaction.ts';
import { countOf, foldersOf, pageOf } from './conversation/listed-projects.ts';
import { idTaken } from './expectations.ts';
import { insertRows } from './rows/insert.ts';
import { PROJECT_COLUMNS, projectOf, projectRow } from './rows/project.ts';
import type { TrashTicket } from '../trash.ts';
import type { ProjectRow, Tables } from './tables.ts';
import { addEntry, NO_MOVES } from './trash/keep.ts';
import { keepBlobs, keepRows } from './trash/rows.ts';

type ProjectMethods = Pick<
  Store,
  'createProject' | 'listProjects' | 'findProjects' | 'getProject' | 'updateProject' | 'deleteProject'
>;

export function projectMethods(database: Database): ProjectMethods {
  return {
    createProject: (project) =>
      inTransaction(
        database,
        (trx) => insertRows(trx, 'projects', [projectRow(project)]),
        () => Promise.resolve(idTaken('project', project.id)),
      ),

    listProjects: () =>
      repeatable(database, async (db) => {
        const rows = await db.selectFrom('projects').select(PROJECT_COLUMNS).orderBy('position').execute();
        return rows.map(projectOf);
      }),

    // Whole projects, with their system prompts, are read only for the page.
    findProjects: (query) =>
      repeatable(database, async (db) => {
        const { rows } = await pageOf(db, query);
        const ids = rows.map(({ id }) => id);
        const [whole, folders, total] = await Promise.all([
          db
            .selectFrom('projects')
            .select(PROJECT_COLUMNS)
            .where(sql<boolean>`id = ANY(${ids})`)
            .execute(),
          foldersOf(db, query),
          // An empty page has no row to say how many there are.
          rows[0]?.total ?? countOf(db, query),
        ]);
        const byId = new Map(whole.map((row) => [row.id, projectOf(row)]));
        // One that was deleted in between is left out.
        const projects = rows.flatMap(({ id, last_used_at: lastUsedAt, recorded }) => {
          const project = byId.get(id);
          return project === undefined ? [] : [{ ...project, lastUsedAt, recorded }];
        });
        return { projects, total, folders };
      }),

    getProject: (id) =>
      repeatable(database, async (db) => {
        const row = await db.selectFrom('projects').select(PROJECT_COLUMNS).where('id', '=', id).executeTakeFirst();
        if (row === undefined) throw new UnknownIdError('project', id);
        return projectOf(row);
      }),

    // A single idempotent statement: a transaction around it would take four round trips instead of one.
    updateProject: (id, patch, onlyIf) =>
      onlyIf === undefined
        ? repeatable(database, (db) => updateProject(db, id, patch))
        : inTransaction(database, async (trx) => {
            const found = await trx
              .selectFrom('projects')
              .select('name')
              .where('id', '=', id)
              .forUpdate()
              .executeTakeFirst();
            if (found !== undefined) requireName(found.name, onlyIf);
            return updateProject(trx, id, patch);
          }),

    deleteProject: (id, ticket) => inTransaction(database, (trx) => deleteProject(trx, id, ticket)),
  };
}

/** Children first. The keys would cascade by themselves, but row by row. */
const EVERYTHING_IN_A_PROJECT = [
  'foreign_documents',
  'annotations',
  'blob_refs',
  'stream_log',
  'raws',
  'renderings',
  'cached_turns',
  'calls',
  'branches',
  'nodes',
  'turns',
] as const satisfies readonly (keyof Tables)[];

async function deleteProject(trx: Transaction<Tables>, id: ProjectId, ticket?: TrashTicket): Promise<void> {
  // A large project takes its time; half a deletion is no deletion.
  await sql.raw(TAKES_LONG).execute(trx);
  // Locked, so that nothing is added while it is deleted.
  const found = await trx.selectFrom('projects').select('name').where('id', '=', id).forUpdate().executeTakeFirst();
  if (found === undefined) throw new UnknownIdError('project', id);
  if (ticket !== undefined) await keepProject(trx, id, found.name, ticket);
  for (const table of EVERYTHING_IN_A_PROJECT) await trx.deleteFrom(table).where('project_id', '=', id).execute();
  await trx.deleteFrom('projects').where('id', '=', id).execute();
}

async function keepProject(trx: Transaction<Tables>, id: ProjectId, name: string, ticket: TrashTicket): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM nodes WHERE project_id = ${id}`.execute(trx);
  const messages = rows[0]?.count ?? 0;
  const entry = {
    ...ticket,
    kind: 'project' as const,
    projectId: id,
    projectName: name,
    title: name,
    messages,
    branches: [],
  };
  await addEntry(trx, entry, NO_MOVES);
  await keepBlobs(trx, ticket.id, sql`project_id = ${id}`);
  await keepRows(trx, ticket.id, 'projects', sql`id = ${id}`);
  for (const table of EVERYTHING_IN_A_PROJECT)
    // A cache is made again.
    if (table !== 'cached_turns') await keepRows(trx, ticket.id, table, sql`project_id = ${id}`);
}

async function updateProject(db: Kysely<Tables>, id: ProjectId, patch: ProjectPatch): Promise<Project> {
  const changes = changesOf(patch);
  const found =
    Object.keys(changes).length === 0
      ? await db.selectFrom('projects').select(PROJECT_COLUMNS).where('id', '=', id).executeTakeFirst()
      : await db
          .updateTable('projects')
          .set(changes)
          .where('id', '=', id)
          .returning(PROJECT_COLUMNS)
          .executeTakeFirst();
  if (found === undefined) throw new UnknownIdError('project', id);
  return projectOf(found);
}

function changesOf(patch: ProjectPatch): Updateable<ProjectRow> {
  return {
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.description !== undefined && { description: patch.description }),
    ...(patch.systemPrompt !== undefined && { system_prompt: patch.systemPrompt }),
    ...(patch.defaults !== undefined && { defaults: JSON.stringify(patch.defaults) }),
    ...(patch.archived !== undefined && { archived: patch.archived }),
    ...(patch.pinned !== undefined && { pinned: patch.pinned }),
    ...(patch.folder !== undefined && { folder: patch.folder }),
    // Derived again from what the row says then: see `search/index-later.ts`.
    ...((patch.name !== undefined || patch.description !== undefined) && { lexemes: null }),
  };
}
