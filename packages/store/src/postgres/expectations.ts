import type { BoughError, BranchId, CallId, NodeId, ProjectId, TurnId } from '@bough/core';
import { blobHash, UnknownIdError } from '@bough/core';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { missingBlob } from '../blobs/index.ts';
import { ConflictError } from '../errors.ts';
import type { Database } from './connection/pool.ts';
import { repeatable } from './connection/transaction.ts';
import type { Tables } from './tables.ts';

/** What a write assumed: these exist, those do not. */
export interface Expectations {
  readonly project: ProjectId;
  readonly branches?: Ids<BranchId>;
  readonly turns?: Ids<TurnId>;
  readonly nodes?: Ids<NodeId>;
  readonly calls?: Ids<CallId>;
  readonly freeBranchName?: string;
  /** These are stored. */
  readonly blobs?: readonly string[];
}

interface Ids<Id> {
  readonly present?: readonly (Id | null)[];
  readonly absent?: readonly Id[];
}

/** The first expectation that does not hold, as the error to throw; null where all hold. */
export async function whatIsWrong(database: Database, expected: Expectations): Promise<BoughError | null> {
  return repeatable(database, async (db) => {
    const { project } = expected;
    if ((await existing(db, 'projects', project, [project])).size === 0) return new UnknownIdError('project', project);
    return (
      (await wrongIds(db, 'branches', 'branch', project, expected.branches)) ??
      (await wrongIds(db, 'turns', 'turn', project, expected.turns)) ??
      (await wrongIds(db, 'nodes', 'node', project, expected.nodes)) ??
      (await wrongIds(db, 'calls', 'call', project, expected.calls)) ??
      (await takenName(db, project, expected.freeBranchName)) ??
      (await goneBlob(db, expected.blobs ?? []))
    );
  });
}

/** For a read or an update that found nothing: the error that says what is missing. */
export async function nothingThere(
  database: Database,
  expected: Expectations,
  fallback: UnknownIdError,
): Promise<never> {
  throw (await whatIsWrong(database, expected)) ?? fallback;
}

/** A list that came back empty is right only if the thing it belongs to exists. */
export async function requireThere(database: Database, expected: Expectations): Promise<void> {
  const wrong = await whatIsWrong(database, expected);
  if (wrong !== null) throw wrong;
}

type IdTable = 'projects' | 'branches' | 'turns' | 'nodes' | 'calls';

async function wrongIds(
  db: Kysely<Tables>,
  table: IdTable,
  kind: string,
  project: ProjectId,
  ids: Ids<string> | undefined,
): Promise<BoughError | null> {
  const present = ids?.present?.filter((id) => id !== null) ?? [];
  const absent = ids?.absent ?? [];
  if (present.length + absent.length === 0) return null;
  const found = await existing(db, table, project, [...present, ...absent]);
  const unknown = present.find((id) => !found.has(id));
  if (unknown !== undefined) return new UnknownIdError(kind, unknown);
  const taken = absent.find((id) => found.has(id));
  return taken === undefined ? null : idTaken(kind, taken);
}

async function existing(
  db: Kysely<Tables>,
  table: IdTable,
  project: ProjectId,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const any = sql<boolean>`id = ANY(${ids})`;
  const found =
    table === 'projects'
      ? await db.selectFrom('projects').select('id').where(any).execute()
      : await db.selectFrom(table).select('id').where('project_id', '=', project).where(any).execute();
  return new Set(found.map(({ id }) => id));
}

/** Removed between the check and the write. */
async function goneBlob(db: Kysely<Tables>, hashes: readonly string[]): Promise<BoughError | null> {
  if (hashes.length === 0) return null;
  const { rows } = await sql<{ hash: string }>`SELECT hash FROM blobs WHERE hash = ANY(${hashes})`.execute(db);
  const found = new Set(rows.map(({ hash }) => hash));
  const gone = hashes.find((hash) => !found.has(hash));
  return gone === undefined ? null : missingBlob(blobHash(gone));
}

async function takenName(db: Kysely<Tables>, project: ProjectId, name: string | undefined): Promise<BoughError | null> {
  if (name === undefined) return null;
  const holder = await db
    .selectFrom('branches')
    .select('id')
    .where('project_id', '=', project)
    .where('name', '=', name)
    .executeTakeFirst();
  if (holder === undefined) return null;
  return new ConflictError(
    'name_taken',
    `The project has a branch named "${name}" already. Choose another name.`,
    name,
  );
}

export function idTaken(kind: string, id: string): ConflictError {
  return new ConflictError('id_taken', `There is a ${kind} with the id "${id}" already; it was left as it is.`, id);
}
