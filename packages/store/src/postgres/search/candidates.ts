import type { BranchId, ProjectId } from '@bough/core';
import { candidatesOf, exactly, OVERFLOW, projectId, projectLexeme } from '@bough/core';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Place } from '../../search/page.ts';
import type { Candidate, Scope, SearchSource } from '../../search/run.ts';
import { SEARCH_LIMITS } from '../../search/run.ts';
import type { Database } from '../connection/pool.ts';
import { repeatable } from '../connection/transaction.ts';
import { nodeColumns } from '../nodes/walk.ts';
import { queryText } from '../rows/lexemes.ts';
import type { StoredNode } from '../rows/node.ts';
import { nodeOf } from '../rows/node.ts';

/**
 * How many of the newest messages are looked through before the index is asked. It knows where a word occurs, but not
 * in which order: for a word of which there are a hundred thousand, it would have to fetch them all to find the newest
 * twenty. A word that fills no page with these is rare enough for it.
 */
const LOOKED_THROUGH = 1_500;

/** Where these have some, but fewer than are wanted, so many are looked through before the index is asked. */
const LOOKED_THROUGH_AT_MOST = 15_000;

const NEWEST_FIRST = sql`created_at COLLATE "C" DESC, id DESC, project_id DESC`;

/** The candidates of one search: most of what it asks comes after what it asked before. */
export function candidatesIn(database: Database): SearchSource['candidates'] {
  const found = new Found();
  return (scope, kind, after, limit) =>
    kind === 'node' ? nodes(database, scope, found, after, limit) : names(database, scope, kind, after, limit);
}

async function nodes(
  database: Database,
  scope: Scope,
  found: Found,
  after: Place | null,
  limit: number,
): Promise<readonly Candidate[]> {
  const places = found.after(after, limit) ?? (await placesAfter(database, scope, found, after, limit));
  const read = await nodesOf(database, places);
  if (read.length === places.length) return read;
  // One was deleted since it was found. With one too few, it would look as if there were no more.
  found.forget();
  return nodes(database, scope, found, after, limit);
}

async function placesAfter(
  database: Database,
  scope: Scope,
  found: Found,
  after: Place | null,
  limit: number,
): Promise<readonly Place[]> {
  const conditions = [...(await conditionsOf(database, scope)), ...(after === null ? [] : [isAfter(after)])];
  const lexemes = tsqueryOf(scope);
  const asked = { conditions, lexemes, after, limit };
  const among = await newest(database, { ...asked, within: LOOKED_THROUGH });
  if (among.length === limit || lexemes === null) return among;
  const within = Math.ceil((1.5 * LOOKED_THROUGH * limit) / Math.max(1, among.length));
  const further = within <= LOOKED_THROUGH_AT_MOST ? await newest(database, { ...asked, within }) : [];
  if (further.length === limit) return further;
  found.keep(await indexed(database, conditions, lexemes, SEARCH_LIMITS.looks), after, SEARCH_LIMITS.looks);
  return found.after(after, limit) ?? [];
}

/**
 * What the index found, in order. It has to find everything to know which are the newest: for a phrase of common words,
 * whose candidates mostly do not match, that would be done again for every few of them.
 */
class Found {
  #places: readonly Place[] = [];
  #start: Place | null = null;
  #isAll = false;
  #isKept = false;

  keep(places: readonly Place[], start: Place | null, limit: number): void {
    this.#places = places;
    this.#start = start;
    this.#isAll = places.length < limit;
    this.#isKept = true;
  }

  forget(): void {
    this.#isKept = false;
  }

  /** Null where that has to be asked. */
  after(place: Place | null, limit: number): readonly Place[] | null {
    if (!this.#isKept) return null;
    const at = isSame(place, this.#start) ? 0 : this.#places.findIndex((each) => isSame(each, place)) + 1;
    if (at === 0 && !isSame(place, this.#start)) return null;
    const next = this.#places.slice(at, at + limit);
    return next.length === limit || this.#isAll ? next : null;
  }
}

const isSame = (one: Place | null, other: Place | null): boolean =>
  one === other || (one !== null && one.id === other?.id && one.projectId === other.projectId);

interface Newest {
  readonly conditions: readonly RawBuilder<unknown>[];
  readonly lexemes: RawBuilder<unknown> | null;
  readonly after: Place | null;
  readonly limit: number;
  /** So many messages are looked through. */
  readonly within: number;
}

/** Among the newest messages after a place. Where nothing can be asked of the index, all of them are looked through. */
async function newest(
  database: Database,
  { conditions, lexemes, after, limit, within }: Newest,
): Promise<readonly Place[]> {
  const from = after === null ? sql`true` : isAfter(after);
  const matching = and(lexemes === null ? conditions : [...conditions, sql`lexemes @@ ${lexemes}`]);
  const bounded = lexemes === null ? sql`` : sql`LIMIT ${within}`;
  return placesOf(
    database,
    // The same order twice, by a column that both know: the planner sees that it need not sort, and stops at the limit.
    sql`SELECT id, project_id, created_at FROM (
      SELECT id, project_id, created_at, lexemes, created_at COLLATE "C" AS made FROM nodes WHERE ${from}
      ORDER BY made DESC, id DESC, project_id DESC ${bounded}
    ) AS recent WHERE ${matching} ORDER BY made DESC, id DESC, project_id DESC LIMIT ${limit}`,
  );
}

/** Everything that the index finds; kept apart from the order, which would tempt the planner to walk through it all. */
async function indexed(
  database: Database,
  conditions: readonly RawBuilder<unknown>[],
  lexemes: RawBuilder<unknown>,
  limit: number,
): Promise<readonly Place[]> {
  return placesOf(
    database,
    sql`SELECT id, project_id, created_at FROM (
      SELECT id, project_id, created_at FROM nodes WHERE lexemes @@ ${lexemes} OFFSET 0
    ) AS found WHERE ${and(conditions)} ORDER BY ${NEWEST_FIRST} LIMIT ${limit}`,
  );
}

async function placesOf(database: Database, found: RawBuilder<unknown>): Promise<readonly Place[]> {
  const { rows } = await repeatable(database, (db) =>
    sql<Pick<NameRow, 'id' | 'project_id' | 'created_at'>>`${found}`.execute(db),
  );
  return rows.map((row) => ({ id: row.id, projectId: projectId(row.project_id), createdAt: row.created_at }));
}

/** Whole rows are read only of what was found. One that was deleted meanwhile is not there any more. */
async function nodesOf(database: Database, found: readonly Place[]): Promise<Candidate[]> {
  if (found.length === 0) return [];
  const { rows } = await repeatable(database, (db) =>
    sql<StoredNode>`
      WITH found AS MATERIALIZED (
        SELECT * FROM unnest(${found.map(({ id }) => id)}::text[], ${found.map((each) => each.projectId)}::text[])
          AS given (id, project_id)
      )
      SELECT ${sql.raw(nodeColumns('node'))} FROM found CROSS JOIN LATERAL (
        SELECT * FROM nodes WHERE nodes.id = found.id AND nodes.project_id = found.project_id OFFSET 0
      ) AS node ORDER BY ${NEWEST_FIRST}`.execute(db),
  );
  return rows.map(nodeOf).map((node) => ({
    kind: 'node',
    id: node.id,
    projectId: node.projectId,
    createdAt: node.createdAt,
    names: [],
    node,
  }));
}

interface NameRow {
  readonly id: string;
  readonly project_id: string;
  readonly created_at: string;
  readonly name: string;
  readonly description: string | null;
}

async function names(
  database: Database,
  scope: Scope,
  kind: 'project' | 'branch',
  after: Place | null,
  limit: number,
): Promise<readonly Candidate[]> {
  const lexemes = tsqueryOf(scope);
  const { from, to } = scope.query.filters;
  const conditions = [
    ...(lexemes === null ? [] : [sql`lexemes @@ ${lexemes}`]),
    ...timesBetween(from, to),
    ...(after === null ? [] : [isAfter(after)]),
  ];
  const rows =
    kind === 'project'
      ? sql`SELECT id, id AS project_id, created_at, name, description, lexemes FROM projects`
      : sql`SELECT id, project_id, created_at, name, NULL AS description, lexemes FROM branches`;
  const { rows: found } = await repeatable(database, (db) =>
    sql<NameRow>`
      SELECT id, project_id, created_at, name, description FROM (${rows}) AS named
      WHERE ${and(conditions)} ORDER BY ${NEWEST_FIRST} LIMIT ${limit}`.execute(db),
  );
  return found.map((row) => ({
    kind,
    id: row.id,
    projectId: projectId(row.project_id),
    createdAt: row.created_at,
    names: [row.name, ...(row.description === null ? [] : [row.description])],
    node: null,
  }));
}

/** Null where nothing that is looked for has lexemes: punctuation, or times alone. */
function tsqueryOf({ query, projects }: Scope): RawBuilder<unknown> | null {
  const { words, told } = candidatesOf(query);
  const groups = told.map(queryText);
  if (words.length > 0) {
    const all = words.map((lexeme) => queryText([lexeme])).join(' & ');
    groups.push(`((${all}) | ${queryText([exactly(OVERFLOW)])})`);
  }
  if (groups.length === 0 && projects === null) return null;
  if (projects !== null) groups.push(inProjects(projects));
  return sql`${groups.join(' & ')}::tsquery`;
}

const inProjects = (projects: readonly ProjectId[]): string =>
  queryText(projects.length === 0 ? [exactly('!none')] : projects.map((id) => exactly(projectLexeme(id))));

async function conditionsOf(database: Database, { query, projects, branch }: Scope): Promise<RawBuilder<unknown>[]> {
  const { from, to } = query.filters;
  const conditions = timesBetween(from, to);
  if (projects !== null) conditions.push(sql`project_id = ANY(${[...projects]}::text[])`);
  const [project] = projects ?? [];
  if (branch !== null && project !== undefined)
    conditions.push(sql`id = ANY(${await idsOnBranch(database, project, branch)}::text[])`);
  return conditions;
}

async function idsOnBranch(database: Database, project: ProjectId, branch: BranchId): Promise<readonly string[]> {
  const { rows } = await repeatable(database, (db) =>
    sql<{ id: string }>`
      WITH RECURSIVE walk AS (
        SELECT tip_id AS id FROM branches WHERE project_id = ${project} AND id = ${branch} AND tip_id IS NOT NULL
        UNION ALL
        SELECT node.parent_id FROM walk CROSS JOIN LATERAL (
          SELECT parent_id FROM nodes WHERE nodes.id = walk.id AND nodes.project_id = ${project} OFFSET 0
        ) AS node WHERE node.parent_id IS NOT NULL
      ) SELECT id FROM walk`.execute(db),
  );
  return rows.map(({ id }) => id);
}

function timesBetween(from: string | undefined, to: string | undefined): RawBuilder<unknown>[] {
  return [
    ...(from === undefined ? [] : [sql`created_at COLLATE "C" >= ${from}`]),
    ...(to === undefined ? [] : [sql`created_at COLLATE "C" < ${to}`]),
  ];
}

const isAfter = ({ createdAt, id, projectId: project }: Place): RawBuilder<unknown> =>
  sql`(created_at COLLATE "C", id, project_id) < (${createdAt}, ${id}, ${project})`;

const and = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `);
