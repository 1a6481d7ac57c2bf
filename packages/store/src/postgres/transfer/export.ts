import type { ProjectId } from '@bough/core';
import { nodeId, UnknownIdError } from '@bough/core';
import type { Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { ProjectRecord, Store } from '../../store.ts';
import { unpackRaw } from '../calls/raw.ts';
import type { Database } from '../connection/pool.ts';
import { readAnnotations } from '../annotations.ts';
import { databaseTrouble } from '../connection/trouble.ts';
import { readForeign } from '../foreign.ts';
import { NODE_COLUMNS } from '../nodes/walk.ts';
import { branchOf } from '../rows/branch.ts';
import type { StoredCall } from '../rows/call.ts';
import { callOf } from '../rows/call.ts';
import type { StoredNode } from '../rows/node.ts';
import { nodeOf } from '../rows/node.ts';
import { projectOf } from '../rows/project.ts';
import { turnOf } from '../rows/turn.ts';
import type { RenderingRow, Tables, TurnRow } from '../tables.ts';
import { beginTransfer } from './begin.ts';

export function exportMethods(database: Database): Pick<Store, 'exportProject'> {
  return { exportProject: (project) => exportProject(database, project) };
}

// Read in pages, so that a project of any size passes through. Raws and renderings are large, so fewer at a time.
const PAGE = 500;
const LARGE_PAGE = 50;

interface Positioned {
  readonly position: number;
}

/** A snapshot of the project: it does not include what is written while it is being read. */
async function* exportProject(database: Database, project: ProjectId): AsyncIterable<ProjectRecord> {
  try {
    const trx = await beginTransfer(database, (db) =>
      db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(),
    );
    try {
      yield* projectRecord(trx, project);
      yield* foreignRecords(trx, project);
      yield* turnRecords(trx, project);
      yield* nodeRecords(trx, project);
      yield* branchRecords(trx, project);
      yield* callRecords(trx, project);
      yield* renderingRecords(trx, project);
      for (const value of await readAnnotations(trx, { projectId: project })) yield { type: 'annotation', value };
    } finally {
      await trx.rollback().execute();
    }
  } catch (error) {
    throw databaseTrouble(error, database.target.name);
  }
}

async function* projectRecord(db: Kysely<Tables>, project: ProjectId): AsyncIterable<ProjectRecord> {
  const row = await db.selectFrom('projects').selectAll().where('id', '=', project).executeTakeFirst();
  if (row === undefined) throw new UnknownIdError('project', project);
  yield { type: 'project', value: projectOf(row) };
}

async function* foreignRecords(db: Kysely<Tables>, project: ProjectId): AsyncIterable<ProjectRecord> {
  for (const value of await readForeign(db, project)) yield { type: 'foreign', value };
}

async function* branchRecords(db: Kysely<Tables>, project: ProjectId): AsyncIterable<ProjectRecord> {
  const rows = await db
    .selectFrom('branches')
    .selectAll()
    .where('project_id', '=', project)
    .orderBy('position')
    .execute();
  for (const row of rows) yield { type: 'branch', value: branchOf(row) };
}

async function* turnRecords(db: Kysely<Tables>, project: ProjectId): AsyncIterable<ProjectRecord> {
  const rows = inPages<Selectable<TurnRow>>(PAGE, (after, limit) =>
    db
      .selectFrom('turns')
      .selectAll()
      .where('project_id', '=', project)
      .where('position', '>', after?.position ?? 0)
      .orderBy('position')
      .limit(limit)
      .execute(),
  );
  for await (const row of rows) yield { type: 'turn', value: turnOf(row) };
}

/**
 * Parents come before their children: a node stored later has a later position, and reparenting always moves a node to
 * an older parent.
 */
async function* nodeRecords(db: Kysely<Tables>, project: ProjectId): AsyncIterable<ProjectRecord> {
  const rows = inPages<StoredNode & Positioned>(PAGE, (after, limit) =>
    db
      .selectFrom('nodes')
      .select([...NODE_COLUMNS, 'position'])
      .where('project_id', '=', project)
      .where('position', '>', after?.position ?? 0)
      .orderBy('position')
      .limit(limit)
      .execute(),
  );
  for await (const row of rows) yield { type: 'node', value: nodeOf(row) };
}

async function* callRecords(db: Kysely<Tables>, project: ProjectId): AsyncIterable<ProjectRecord> {
  const rows = inPages<StoredCall & Positioned & { readonly bytes: Buffer | null }>(LARGE_PAGE, (after, limit) =>
    db
      .selectFrom('calls')
      .leftJoin('raws', (on) =>
        on.onRef('raws.project_id', '=', 'calls.project_id').onRef('raws.call_id', '=', 'calls.id'),
      )
      .selectAll('calls')
      .select('raws.bytes')
      .where('calls.project_id', '=', project)
      .where('calls.position', '>', after?.position ?? 0)
      .orderBy('calls.position')
      .limit(limit)
      .execute(),
  );
  for await (const row of rows) {
    yield { type: 'call', value: callOf(row), raw: row.bytes === null ? null : await unpackRaw(row.bytes) };
  }
}

async function* renderingRecords(db: Kysely<Tables>, project: ProjectId): AsyncIterable<ProjectRecord> {
  const rows = inPages<RenderingRow>(LARGE_PAGE, (after, limit) =>
    db
      .selectFrom('renderings')
      .selectAll()
      .where('project_id', '=', project)
      .where(after === undefined ? sql.lit(true) : sql<boolean>`(node_id, key) > (${after.node_id}, ${after.key})`)
      .orderBy('node_id')
      .orderBy('key')
      .limit(limit)
      .execute(),
  );
  for await (const { node_id: node, key, bytes } of rows) {
    yield { type: 'rendering', value: { nodeId: nodeId(node), key, bytes } };
  }
}

async function* inPages<Row>(
  limit: number,
  read: (after: Row | undefined, limit: number) => Promise<readonly Row[]>,
): AsyncIterable<Row> {
  for (let last: Row | undefined; ;) {
    const page = await read(last, limit);
    yield* page;
    if (page.length < limit) return;
    last = page.at(-1);
  }
}
