import type { Project, ProjectId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Kysely, Transaction, Updateable } from 'kysely';
import { sql } from 'kysely';
import { isNamed } from '../find-projects.ts';
import type { ProjectPatch, Store } from '../store.ts';
import type { Database } from './connection/pool.ts';
import { TAKES_LONG } from './connection/settings.ts';
import { inTransaction, repeatable } from './connection/transaction.ts';
import { idTaken } from './expectations.ts';
import { insertRows } from './rows/insert.ts';
import { projectOf, projectRow } from './rows/project.ts';
import type { TrashTicket } from '../trash.ts';
import type { ProjectRow, Tables } from './tables.ts';
import { addEntry, NO_MOVES } from './trash/keep.ts';
import { keepRows } from './trash/rows.ts';

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
        const rows = await db.selectFrom('projects').selectAll().orderBy('position').execute();
        return rows.map(projectOf);
      }),

    // Names are compared here: databases differ in which letters they consider equal. Whole projects, with their system
    // prompts, are read only for the page.
    findProjects: (query) =>
      repeatable(database, async (db) => {
        const { archived, offset, limit } = query;
        const listed = await db
          .selectFrom('projects')
          .select(['id', 'name'])
          .$if(archived !== undefined, (all) => all.where('archived', '=', archived === true))
          .orderBy('position', 'desc')
          .execute();
        const found = listed.filter(({ name }) => isNamed(name, query));
        const ids = found.slice(offset, offset + limit).map(({ id }) => id);
        const rows = await db
          .selectFrom('projects')
          .selectAll()
          .where(sql<boolean>`id = ANY(${ids})`)
          .orderBy('position', 'desc')
          .execute();
        return { projects: rows.map(projectOf), total: found.length };
      }),

    getProject: (id) =>
      repeatable(database, async (db) => {
        const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
        if (row === undefined) throw new UnknownIdError('project', id);
        return projectOf(row);
      }),

    // A single idempotent statement: a transaction around it would take four round trips instead of one.
    updateProject: (id, patch) => repeatable(database, (db) => updateProject(db, id, patch)),

    deleteProject: (id, ticket) => inTransaction(database, (trx) => deleteProject(trx, id, ticket)),
  };
}

/** Children first. The keys would cascade by themselves, but row by row. */
const EVERYTHING_IN_A_PROJECT = [
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
  await keepRows(trx, ticket.id, 'projects', sql`id = ${id}`);
  for (const table of EVERYTHING_IN_A_PROJECT)
    // A cache is made again.
    if (table !== 'cached_turns') await keepRows(trx, ticket.id, table, sql`project_id = ${id}`);
}

async function updateProject(db: Kysely<Tables>, id: ProjectId, patch: ProjectPatch): Promise<Project> {
  const changes = changesOf(patch);
  const found =
    Object.keys(changes).length === 0
      ? await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
      : await db.updateTable('projects').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
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
  };
}
