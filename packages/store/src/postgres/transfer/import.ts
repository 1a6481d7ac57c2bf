import type { ControlledTransaction } from 'kysely';
import { sql } from 'kysely';
import type { ProjectRecord, Store } from '../../store.ts';
import { refsOf, requireBlobs } from '../blobs/refs.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../connection/pool.ts';
import { leaveReceipt, rollBack, wasCommitted } from '../connection/transaction.ts';
import { databaseTrouble, isConnectionLoss } from '../connection/trouble.ts';
import { gather } from '../../gather.ts';
import type { Tables } from '../tables.ts';
import { beginTransfer } from './begin.ts';
import { fitting } from './fitting.ts';
import { storeProjects, storeRecords, storing } from './store-records.ts';

export function importMethods(database: Database, clock: Clock): Pick<Store, 'importProject'> {
  const together = gather<readonly ProjectRecord[]>({
    carry: (projects) => importTogether(database, projects),
    weigh: (records) => records.length,
    capacity: TOGETHER,
  });
  return {
    importProject: async (records) => {
      const { start, rest } = await upTo(SMALL, withBlobs(database, clock, fitting(records)));
      if (rest === null) await together.give(start);
      else await importAlone(database, chained(start, rest));
    },
  };
}

/** A project with no more records than this is read before a transaction begins, and shares one with others. */
const SMALL = 500;
/** Records in one transaction of several projects. */
const TOGETHER = 5_000;
/** From this many records on, fresh statistics are worth the second that they take on large tables. */
const MANY = 5_000;

/** The first records, and the others if there are any. */
async function upTo(
  limit: number,
  records: AsyncIterable<ProjectRecord>,
): Promise<{ readonly start: readonly ProjectRecord[]; readonly rest: AsyncIterator<ProjectRecord> | null }> {
  const source = records[Symbol.asyncIterator]();
  const start: ProjectRecord[] = [];
  while (start.length < limit) {
    const next = await source.next();
    if (next.done === true) return { start, rest: null };
    start.push(next.value);
  }
  return { start, rest: source };
}

async function* chained(
  start: readonly ProjectRecord[],
  rest: AsyncIterator<ProjectRecord> | null,
): AsyncIterable<ProjectRecord> {
  yield* start;
  if (rest !== null) yield* { [Symbol.asyncIterator]: () => rest };
}

/** One transaction from the first record to the last: nobody sees any of it until it commits. */
async function importAlone(database: Database, records: AsyncIterable<ProjectRecord>): Promise<void> {
  const stored = await importing(database, (trx) => storeRecords(trx, records, database.target.name));
  if (stored >= MANY) await learnSizes(database);
}

/**
 * Thousands of small conversations would each wait for the disk. If anything is wrong with one of them, each is
 * imported alone, so that it fails by itself and with its own reason.
 */
async function importTogether(
  database: Database,
  projects: readonly (readonly ProjectRecord[])[],
): Promise<readonly (Error | null)[]> {
  if (projects.length > 1 && (await areImported(database, projects))) return projects.map(() => null);
  const answers: (Error | null)[] = [];
  for (const project of projects) {
    answers.push(
      await importAlone(database, chained(project, null)).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error : databaseTrouble(error, database.target.name)),
      ),
    );
  }
  return answers;
}

/** False where something is wrong with one of them: nothing is imported then. */
async function areImported(database: Database, projects: readonly (readonly ProjectRecord[])[]): Promise<boolean> {
  let isCommitting = false;
  try {
    await importing(database, async (trx) => {
      await storeProjects(trx, projects, database.target.name);
      isCommitting = true;
    });
    return true;
  } catch (error) {
    // Whether a commit took place may be unknown: then nothing is tried again.
    if (isCommitting) throw error;
    return false;
  }
}

async function importing<T>(database: Database, store: (trx: ControlledTransaction<Tables>) => Promise<T>): Promise<T> {
  const trx = await beginTransfer(database, (db) => db.startTransaction().execute());
  try {
    const result = await store(trx);
    await commit(database, trx);
    return result;
  } finally {
    if (!trx.isCommitted) await rollBack(trx);
  }
}

/**
 * Has plans made afresh after a large import. Left to PostgreSQL that takes up to a minute; a failure here only means
 * waiting for that.
 */
async function learnSizes({ db }: Database): Promise<void> {
  await sql`ANALYZE projects, turns, nodes, branches, calls, raws, renderings`.execute(db).catch(() => undefined);
}

async function commit(database: Database, trx: ControlledTransaction<Tables>): Promise<void> {
  const receipt = database.receipts.take();
  await storing(database.target.name, () => leaveReceipt(trx, receipt));
  try {
    await trx.commit().execute();
    database.receipts.giveBack(receipt);
  } catch (error) {
    if (isConnectionLoss(error) && (await wasCommitted(database, receipt, error))) return;
    throw databaseTrouble(error, database.target.name);
  }
}

/** Passes the records on, up to the first node whose files are not there. */
async function* withBlobs(
  database: Database,
  clock: Clock,
  records: AsyncIterable<ProjectRecord>,
): AsyncIterable<ProjectRecord> {
  for await (const record of records) {
    if (record.type === 'node') await requireBlobs(database, clock, null, refsOf([record.value]));
    yield record;
  }
}
