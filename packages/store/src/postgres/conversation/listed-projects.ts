import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { isNamed } from '../../find-projects.ts';
import type { ProjectFolder, ProjectQuery } from '../../store.ts';
import type { Tables } from '../tables.ts';

interface ListedRow {
  readonly id: string;
  readonly last_used_at: string;
  readonly recorded: boolean;
  readonly total: number;
}

/**
 * One page of the projects, the last used first, and how many there are. A project is used when one of its branches is:
 * the newest tip is found through the key of the nodes, and nothing has to be written for it. Times are compared byte
 * by byte, as they are elsewhere.
 */
export async function pageOf(
  db: Kysely<Tables>,
  query: ProjectQuery,
): Promise<{ readonly rows: readonly ListedRow[] }> {
  return sql<ListedRow>`
    SELECT project.id, greatest(project.created_at COLLATE "C", used.last_used_at) AS last_used_at,
      coalesce(used.recorded, false) AS recorded, count(*) OVER ()::int AS total
    FROM projects AS project LEFT JOIN LATERAL (
      SELECT max(greatest(branch.created_at COLLATE "C", tip.created_at COLLATE "C")) AS last_used_at,
        bool_or(branch.recorded IS NOT NULL OR tip.trail IS NOT NULL) AS recorded
      FROM branches AS branch LEFT JOIN nodes AS tip ON tip.id = branch.tip_id AND tip.project_id = branch.project_id
      WHERE branch.project_id = project.id
    ) AS used ON true
    WHERE ${await conditionOf(db, query)}
    ORDER BY last_used_at DESC, project.position DESC
    LIMIT ${query.limit} OFFSET ${query.offset}`.execute(db);
}

export async function countOf(db: Kysely<Tables>, query: ProjectQuery): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT count(*)::int AS total FROM projects AS project WHERE ${await conditionOf(db, query)}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** The folders of all projects that are (or are not) archived, whatever else is asked for. */
export async function foldersOf(
  db: Kysely<Tables>,
  { archived }: Pick<ProjectQuery, 'archived'>,
): Promise<readonly ProjectFolder[]> {
  const { rows } = await sql<ProjectFolder>`
    SELECT folder AS name, (count(*) FILTER (WHERE NOT pinned))::int AS unpinned FROM projects
    WHERE folder IS NOT NULL AND ${archived === undefined ? sql`true` : sql`archived = ${archived}`}
    GROUP BY folder`.execute(db);
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether the gateway recorded any of its branches. */
const RECORDED = sql`EXISTS (
  SELECT 1 FROM branches AS branch LEFT JOIN nodes AS tip ON tip.id = branch.tip_id AND tip.project_id = branch.project_id
  WHERE branch.project_id = project.id AND (branch.recorded IS NOT NULL OR tip.trail IS NOT NULL)
)`;

async function conditionOf(db: Kysely<Tables>, query: ProjectQuery): Promise<RawBuilder<boolean>> {
  const { archived, pinned, folder, recorded, id, name } = query;
  const conditions = [
    ...(archived === undefined ? [] : [sql`project.archived = ${archived}`]),
    ...(pinned === undefined ? [] : [sql`project.pinned = ${pinned}`]),
    ...(folder === undefined ? [] : [folder === null ? sql`project.folder IS NULL` : sql`project.folder = ${folder}`]),
    ...(recorded === undefined ? [] : [RECORDED]),
    ...(id === undefined || id === '' ? [] : [sql`starts_with(project.id, ${id})`]),
    ...(name === undefined || name === '' ? [] : [sql`project.id = ANY(${await named(db, query)})`]),
  ];
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` AND `)}`;
}

/** Names are compared here: databases differ in which letters they consider equal. */
async function named(db: Kysely<Tables>, query: ProjectQuery): Promise<readonly string[]> {
  const rows = await db.selectFrom('projects').select(['id', 'name']).execute();
  return rows.filter(({ name }) => isNamed(name, query)).map(({ id }) => id);
}
