import { setTimeout as sleep } from 'node:timers/promises';
import { projectId } from '@bough/core';
import { sql } from 'kysely';
import type { BlobStore } from '../../blobs/index.ts';
import { lexemesWithFiles } from '../../search/texts.ts';
import type { Database } from '../connection/pool.ts';
import { repeatable } from '../connection/transaction.ts';
import { NODE_COLUMNS } from '../nodes/walk.ts';
import { nameLexemesText, nodeLexemesText } from '../rows/lexemes.ts';
import { nodeOf } from '../rows/node.ts';

/**
 * Derives the lexemes of what was stored without them: by earlier versions, by restoring an old deletion, or with files
 * whose texts a write does not wait for. In steps, newest first: each is short, and the server answers in between.
 * Several servers may do it at once; what one has done the others do not find.
 */
export interface IndexLater {
  /** Waits as long as a person does not notice. True: there is more to do, and it goes on in the background. */
  readonly prepare: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

const STEP = 200;
/** Leaves the processor to those who are waiting for an answer. */
const PAUSE_MS = 20;
const PATIENCE_MS = 250;
/** After a failure: the database may be away for a while. */
const RETRY_MS = 5_000;

export function indexLater(database: Database, blobs: BlobStore): IndexLater {
  const stop = new AbortController();
  let running: Promise<void> | null = null;

  const work = async (): Promise<void> => {
    while (!stop.signal.aborted && (await step(database, blobs))) await paused(PAUSE_MS, stop.signal);
  };
  const begin = (): Promise<void> => {
    running ??= work()
      .catch(async () => {
        // Searching says what is wrong with the database; this only has to go on when it is back.
        await paused(RETRY_MS, stop.signal);
      })
      .finally(() => {
        running = null;
      });
    return running;
  };

  void begin();
  return {
    prepare: async () => {
      if (!(await isWorkLeft(database))) return false;
      const patience = new AbortController();
      await Promise.race([begin(), paused(PATIENCE_MS, patience.signal)]);
      patience.abort();
      return isWorkLeft(database);
    },
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

async function paused(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const LEFT = sql`lexemes IS NULL`;

async function isWorkLeft(database: Database): Promise<boolean> {
  const { rows } = await repeatable(database, (db) =>
    sql<{
      left: boolean;
    }>`SELECT EXISTS (SELECT FROM nodes WHERE ${LEFT}) OR EXISTS (SELECT FROM projects WHERE ${LEFT})
      OR EXISTS (SELECT FROM branches WHERE ${LEFT}) AS left`.execute(db),
  );
  return rows[0]?.left === true;
}

/** False where nothing was left to do. */
async function step(database: Database, blobs: BlobStore): Promise<boolean> {
  const [projects, branches, nodes] = [
    await indexProjects(database),
    await indexBranches(database),
    await indexNodes(database, blobs),
  ];
  return projects + branches + nodes > 0;
}

async function indexNodes(database: Database, blobs: BlobStore): Promise<number> {
  const rows = await repeatable(database, (db) =>
    db
      .selectFrom('nodes')
      .select(NODE_COLUMNS)
      .where(LEFT.$castTo<boolean>())
      .orderBy('position', 'desc')
      .limit(STEP)
      .execute(),
  );
  const texts: string[] = [];
  for (const node of rows.map(nodeOf)) texts.push(nodeLexemesText(node, await lexemesWithFiles(blobs, node)));
  await repeatable(database, (db) =>
    sql`UPDATE nodes SET lexemes = given.lexemes
      FROM unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ project_id: id }) => id)}::text[],
        ${texts}::tsvector[]) AS given (id, project_id, lexemes)
      WHERE nodes.id = given.id AND nodes.project_id = given.project_id`.execute(db),
  );
  return rows.length;
}

async function indexProjects(database: Database): Promise<number> {
  const rows = await repeatable(database, (db) =>
    db
      .selectFrom('projects')
      .select(['id', 'name', 'description'])
      .where(LEFT.$castTo<boolean>())
      .limit(STEP)
      .execute(),
  );
  for (const { id, name, description } of rows) {
    const lexemes = nameLexemesText(projectId(id), [name, description]);
    // One that was renamed meanwhile waits for the next step.
    await repeatable(database, (db) =>
      sql`UPDATE projects SET lexemes = ${lexemes}::tsvector WHERE id = ${id} AND name = ${name}
        AND description IS NOT DISTINCT FROM ${description}`.execute(db),
    );
  }
  return rows.length;
}

async function indexBranches(database: Database): Promise<number> {
  const rows = await repeatable(database, (db) =>
    db.selectFrom('branches').select(['id', 'project_id', 'name']).where(LEFT.$castTo<boolean>()).limit(STEP).execute(),
  );
  for (const { id, project_id: project, name } of rows) {
    const lexemes = nameLexemesText(projectId(project), [name]);
    await repeatable(database, (db) =>
      sql`UPDATE branches SET lexemes = ${lexemes}::tsvector
        WHERE id = ${id} AND project_id = ${project} AND name = ${name}`.execute(db),
    );
  }
  return rows.length;
}
