import type { ProjectId } from '@bough/core';
import type { ControlledTransaction } from 'kysely';
import { sql } from 'kysely';
import { ConflictError, StoreError } from '../../errors.ts';
import type { ProjectRecord, Store } from '../../store.ts';
import { insertCalls, packCalls } from '../calls/write.ts';
import type { Database } from '../connection/pool.ts';
import { leaveReceipt, rollBack, wasCommitted } from '../connection/transaction.ts';
import { databaseTrouble, isConnectionLoss, isViolation } from '../connection/trouble.ts';
import { idTaken } from '../expectations.ts';
import { branchRow } from '../rows/branch.ts';
import { insertRows } from '../rows/insert.ts';
import { nodeRow } from '../rows/node.ts';
import { projectRow } from '../rows/project.ts';
import { renderingRow } from '../rows/rendering.ts';
import { notRunning, turnRow } from '../rows/turn.ts';
import type { Tables } from '../tables.ts';
import { beginTransfer } from './begin.ts';
import { fitting } from './fitting.ts';

export function importMethods(database: Database): Pick<Store, 'importProject'> {
  return { importProject: (records) => importProject(database, records) };
}

const BATCH = 500;
/** From this many records on, fresh statistics are worth the second that they take on large tables. */
const MANY = 5_000;

type RecordOf<Type extends ProjectRecord['type']> = Extract<ProjectRecord, { readonly type: Type }>;

/** One transaction from the first record to the last: nobody sees any of it until it commits. */
async function importProject(database: Database, records: AsyncIterable<ProjectRecord>): Promise<void> {
  const { target } = database;
  const trx = await beginTransfer(database, (db) => db.startTransaction().execute());
  try {
    const stored = await storeRecords(trx, records, target.name);
    await commit(database, trx);
    if (stored >= MANY) await learnSizes(database);
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

/** Returns the number of records. */
async function storeRecords(
  trx: ControlledTransaction<Tables>,
  records: AsyncIterable<ProjectRecord>,
  target: string,
): Promise<number> {
  let project: ProjectId | null = null;
  let count = 0;
  let batch: ProjectRecord[] = [];
  // Kept for the end: a branch may come before the nodes that it points to.
  const branches: RecordOf<'branch'>[] = [];
  for await (const record of fitting(records)) {
    count += 1;
    if (record.type === 'project') {
      project = record.value.id;
      await storing(target, () => insertRows(trx, 'projects', [projectRow(record.value)]), idTaken('project', project));
    } else if (record.type === 'branch') {
      branches.push(record);
    } else {
      batch.push(record);
    }
    if (batch.length < BATCH || project === null) continue;
    await storeBatch(trx, project, batch, target);
    batch = [];
  }
  if (project === null)
    throw new StoreError('invalid_import', 'records', 'An import begins with the project; nothing came.');
  await storeBatch(trx, project, batch, target);
  await storing(
    target,
    () =>
      insertRows(
        trx,
        'branches',
        branches.map(({ value }) => branchRow(value)),
      ),
    new ConflictError('name_taken', 'Two branches of the import have the same name or id. Nothing was imported.'),
  );
  return count;
}

/** What others refer to is stored first. */
async function storeBatch(
  trx: ControlledTransaction<Tables>,
  project: ProjectId,
  batch: readonly ProjectRecord[],
  target: string,
): Promise<void> {
  const ofType = <Type extends ProjectRecord['type']>(type: Type): RecordOf<Type>[] =>
    batch.filter((record): record is RecordOf<Type> => record.type === type);
  const calls = await packCalls(ofType('call').map(({ value, raw }) => ({ call: value, raw })));
  await storing(target, async () => {
    const turns = ofType('turn').map(({ value }) => turnRow(value, notRunning(value)));
    const nodes = ofType('node').map(({ value }) => nodeRow(value));
    const renderings = ofType('rendering').map(({ value }) => renderingRow(project, value));
    await insertRows(trx, 'turns', turns);
    await insertRows(trx, 'nodes', nodes);
    await insertCalls(trx, calls);
    await insertRows(trx, 'renderings', renderings, 'ON CONFLICT DO NOTHING');
  });
}

/** Tells the database's errors from those of the source of the records, which are passed on unchanged. */
async function storing(target: string, work: () => Promise<unknown>, onViolation?: ConflictError): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw onViolation !== undefined && isViolation(error) ? onViolation : databaseTrouble(error, target);
  }
}
