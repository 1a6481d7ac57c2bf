import type { ProjectId } from '@bough/core';
import type { ControlledTransaction } from 'kysely';
import { ConflictError, StoreError } from '../../errors.ts';
import type { ProjectRecord } from '../../store.ts';
import { refsOf } from '../blobs/refs.ts';
import { insertCalls, packCalls } from '../calls/write.ts';
import { databaseTrouble, isViolation } from '../connection/trouble.ts';
import { idTaken } from '../expectations.ts';
import { annotationRow } from '../rows/annotation.ts';
import { branchRow } from '../rows/branch.ts';
import { foreignRow } from '../rows/foreign.ts';
import { insertRows } from '../rows/insert.ts';
import { nodeRow } from '../rows/node.ts';
import { projectRow } from '../rows/project.ts';
import { renderingRow } from '../rows/rendering.ts';
import { notRunning, turnRow } from '../rows/turn.ts';
import type { Tables } from '../tables.ts';

const BATCH = 500;

type Trx = ControlledTransaction<Tables>;
type RecordOf<Type extends ProjectRecord['type']> = Extract<ProjectRecord, { readonly type: Type }>;

/** Records of one project. */
interface Part {
  readonly project: ProjectId;
  readonly records: readonly ProjectRecord[];
}

/** Stores one project, however large. Returns the number of records. */
export async function storeRecords(trx: Trx, records: AsyncIterable<ProjectRecord>, target: string): Promise<number> {
  let project: ProjectId | null = null;
  let count = 0;
  let batch: ProjectRecord[] = [];
  // Kept for the end: a branch may come before the nodes that it points to.
  const branches: RecordOf<'branch'>[] = [];
  for await (const record of records) {
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
    await storeParts(trx, [{ project, records: batch }], target);
    batch = [];
  }
  if (project === null) throw nothingCame();
  await storeParts(trx, [{ project, records: batch }], target);
  await storeBranches(trx, branches, target);
  return count;
}

/** Stores several small projects with as few statements as one would take. */
export async function storeProjects(
  trx: Trx,
  projects: readonly (readonly ProjectRecord[])[],
  target: string,
): Promise<void> {
  const first = projects.map((records) => ofType(records, 'project')[0] ?? null);
  const parts = projects.map((records, index): Part => {
    const project = first[index]?.value.id;
    if (project === undefined) throw nothingCame();
    return { project, records };
  });
  const rows = first.flatMap((record) => (record === null ? [] : [projectRow(record.value)]));
  await storing(target, () => insertRows(trx, 'projects', rows));
  await storeParts(trx, parts, target);
  await storeBranches(
    trx,
    projects.flatMap((records) => ofType(records, 'branch')),
    target,
  );
}

const nothingCame = (): StoreError =>
  new StoreError('invalid_import', 'records', 'An import begins with the project; nothing came.');

const ofType = <Type extends ProjectRecord['type']>(records: readonly ProjectRecord[], type: Type): RecordOf<Type>[] =>
  records.filter((record): record is RecordOf<Type> => record.type === type);

/** What others refer to is stored first. */
async function storeParts(trx: Trx, parts: readonly Part[], target: string): Promise<void> {
  const all = parts.flatMap(({ records }) => records);
  const calls = await packCalls(ofType(all, 'call').map(({ value, raw }) => ({ call: value, raw })));
  await storing(target, async () => {
    const nodes = ofType(all, 'node').map(({ value }) => value);
    const turns = ofType(all, 'turn').map(({ value }) => turnRow(value, notRunning(value)));
    const renderings = parts.flatMap(({ project, records }) =>
      ofType(records, 'rendering').map(({ value }) => renderingRow(project, value)),
    );
    await insertRows(
      trx,
      'foreign_documents',
      ofType(all, 'foreign').map(({ value }) => foreignRow(value)),
    );
    await insertRows(trx, 'turns', turns);
    await insertRows(trx, 'nodes', nodes.map(nodeRow));
    await insertRows(trx, 'blob_refs', refsOf(nodes));
    await insertCalls(trx, calls);
    await insertRows(trx, 'renderings', renderings, 'ON CONFLICT DO NOTHING');
    await insertRows(
      trx,
      'annotations',
      ofType(all, 'annotation').map(({ value }) => annotationRow(value)),
    );
  });
}

async function storeBranches(trx: Trx, branches: readonly RecordOf<'branch'>[], target: string): Promise<void> {
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
}

/** Tells the database's errors from those of the source of the records, which are passed on unchanged. */
export async function storing(
  target: string,
  work: () => Promise<unknown>,
  onViolation?: ConflictError,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw onViolation !== undefined && isViolation(error) ? onViolation : databaseTrouble(error, target);
  }
}
