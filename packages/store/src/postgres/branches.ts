import type { Branch, BranchId, ProjectId } from '@bough/core';
import { branchId, UnknownIdError } from '@bough/core';
import type { Kysely, Transaction, Updateable } from 'kysely';
import { sql } from 'kysely';
import { ConflictError } from '../errors.ts';
import type { BranchPatch, Store, TipMove } from '../store.ts';
import type { Database } from './connection/pool.ts';
import { prepared } from './connection/prepared.ts';
import { inTransaction, repeatable } from './connection/transaction.ts';
import { nothingThere, requireThere, whatIsWrong } from './expectations.ts';
import type { StoredBranch } from './rows/branch.ts';
import { branchOf, branchRow } from './rows/branch.ts';
import { nameLexemesText } from './rows/lexemes.ts';
import { nullable } from './rows/nullable.ts';
import { insertRows } from './rows/insert.ts';
import type { BranchRow, Tables } from './tables.ts';
import { columnsWithout } from './tables.ts';
import type { TrashTicket } from '../trash.ts';
import { addEntry, nameOfProject, NO_MOVES } from './trash/keep.ts';
import { keepRows } from './trash/rows.ts';
import { openTurnOn, turnRunning } from './turns/open-turn.ts';

type BranchMethods = Pick<
  Store,
  'createBranch' | 'listBranches' | 'branchFacts' | 'getBranch' | 'updateBranch' | 'deleteBranch' | 'moveTip'
>;

const READ = columnsWithout('branches', 'lexemes');
const COLUMNS = READ.join(', ');

const LIST = prepared<StoredBranch>(
  'list_branches',
  `SELECT ${COLUMNS} FROM branches WHERE project_id = $1 ORDER BY position`,
);

const FACTS = prepared<{ readonly id: string; readonly used: string; readonly forked_on: string | null }>(
  'branch_facts',
  `SELECT branch.id, greatest(branch.created_at COLLATE "C", tip.created_at COLLATE "C") AS used,
    fork.created_on_branch AS forked_on
  FROM branches AS branch
    LEFT JOIN nodes AS tip ON tip.id = branch.tip_id AND tip.project_id = branch.project_id
    LEFT JOIN nodes AS fork ON fork.id = branch.forked_from_id AND fork.project_id = branch.project_id
  WHERE branch.project_id = $1`,
);

// An id takes precedence: a branch may have another one's id as its name.
const FIND = prepared<StoredBranch>(
  'find_branch',
  `SELECT ${COLUMNS} FROM branches WHERE project_id = $1 AND (id = $2 OR name = $2) ORDER BY id = $2 DESC LIMIT 1`,
);

export function branchMethods(database: Database): BranchMethods {
  const unknownBranch = (project: ProjectId, branch: BranchId): Promise<never> =>
    nothingThere(database, { project, branches: { present: [branch] } }, new UnknownIdError('branch', branch));

  return {
    createBranch: (branch) =>
      inTransaction(
        database,
        (trx) => insertRows(trx, 'branches', [branchRow(branch)]),
        () =>
          whatIsWrong(database, {
            project: branch.projectId,
            branches: { absent: [branch.id] },
            nodes: { present: [branch.tipId, branch.forkedFromId] },
            freeBranchName: branch.name,
          }),
      ),

    listBranches: async (project) => {
      const rows = await repeatable(database, () => LIST.run(database, [project]));
      if (rows.length === 0) await requireThere(database, { project });
      return rows.map(branchOf);
    },

    branchFacts: async (project) => {
      const rows = await repeatable(database, () => FACTS.run(database, [project]));
      if (rows.length === 0) await requireThere(database, { project });
      return Object.fromEntries(
        rows.map(({ id, used, forked_on: on }) => [id, { lastUsedAt: used, forkedOn: nullable(on, branchId) }]),
      );
    },

    getBranch: async (project, ref) => {
      const [found] = await repeatable(database, () => FIND.run(database, [project, ref]));
      if (found === undefined) return nothingThere(database, { project }, new UnknownIdError('branch', ref));
      return branchOf(found);
    },

    updateBranch: async (project, branch, patch) => {
      const updated = await inTransaction(
        database,
        (trx) => updateBranch(trx, project, branch, patch),
        () => whatIsWrong(database, { project, ...(patch.name !== undefined && { freeBranchName: patch.name }) }),
      );
      return updated ?? unknownBranch(project, branch);
    },

    deleteBranch: async (project, branch, ticket) => {
      const deleted = await inTransaction(database, async (trx) => {
        // Locked first, checked afterwards: a turn that begins meanwhile waits for the lock, or is seen.
        const locked = await trx
          .selectFrom('branches')
          .select('name')
          .where('project_id', '=', project)
          .where('id', '=', branch)
          .forUpdate()
          .executeTakeFirst();
        if (locked === undefined) return false;
        const open = await openTurnOn(trx, project, branch);
        if (open !== null) throw turnRunning(open);
        if (ticket !== undefined) await keepBranch(trx, project, { id: branch, name: locked.name }, ticket);
        await trx.deleteFrom('branches').where('project_id', '=', project).where('id', '=', branch).execute();
        return true;
      });
      if (!deleted) await unknownBranch(project, branch);
    },

    moveTip: async (project, branch, move) => {
      await inTransaction(
        database,
        (trx) => moveTip(trx, project, { ...move, branchId: branch }),
        () => whatIsWrong(database, { project, nodes: { present: [move.next] } }),
      );
    },
  };
}

async function keepBranch(
  trx: Transaction<Tables>,
  project: ProjectId,
  { id, name }: Pick<Branch, 'id' | 'name'>,
  ticket: TrashTicket,
): Promise<void> {
  const projectName = await nameOfProject(trx, project);
  const entry = { ...ticket, kind: 'branch' as const, projectId: project, projectName, title: name, messages: 0 };
  await addEntry(trx, { ...entry, branches: [] }, NO_MOVES);
  await keepRows(trx, ticket.id, 'branches', sql`project_id = ${project} AND id = ${id}`);
}

/** Compare and set, in one statement: of two writers, the second finds an unexpected tip. */
async function moveTip(
  trx: Transaction<Tables>,
  project: ProjectId,
  { branchId: branch, expected, next }: BranchTipMove,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('branches')
    .set({ tip_id: next })
    .where('project_id', '=', project)
    .where('id', '=', branch)
    .where('tip_id', 'is not distinct from', expected)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) await tipMoved(trx, project, { branchId: branch, expected });
}

export type BranchTipMove = TipMove & { readonly branchId: BranchId };

/** The error of a move that found an unexpected tip. */
export async function tipMoved(
  db: Kysely<Tables>,
  project: ProjectId,
  { branchId: branch, expected }: Pick<BranchTipMove, 'branchId' | 'expected'>,
): Promise<never> {
  const real = await db
    .selectFrom('branches')
    .select('tip_id')
    .where('project_id', '=', project)
    .where('id', '=', branch)
    .executeTakeFirst();
  if (real === undefined) throw new UnknownIdError('branch', branch);
  throw new ConflictError(
    'tip_moved',
    `The branch "${branch}" is at ${real.tip_id ?? 'no node'}, not at ${expected ?? 'no node'}. Read it again and decide.`,
    real.tip_id,
  );
}

async function updateBranch(
  trx: Transaction<Tables>,
  project: ProjectId,
  branch: BranchId,
  patch: BranchPatch,
): Promise<Branch | null> {
  const changes = changesOf(project, patch);
  const found =
    Object.keys(changes).length === 0
      ? await trx
          .selectFrom('branches')
          .select(READ)
          .where('project_id', '=', project)
          .where('id', '=', branch)
          .executeTakeFirst()
      : await trx
          .updateTable('branches')
          .set(changes)
          .where('project_id', '=', project)
          .where('id', '=', branch)
          .returning(READ)
          .executeTakeFirst();
  return found === undefined ? null : branchOf(found);
}

function changesOf(project: ProjectId, patch: BranchPatch): Updateable<BranchRow> {
  return {
    ...(patch.name !== undefined && { name: patch.name, lexemes: nameLexemesText(project, [patch.name]) }),
    ...(patch.pinned !== undefined && { pinned: patch.pinned }),
    ...(patch.hidden !== undefined && { hidden: patch.hidden }),
    ...(patch.color !== undefined && { color: patch.color }),
    ...(patch.replayBy !== undefined && { replay_by: patch.replayBy }),
    ...(patch.keepToolsAfterBreak !== undefined && { keep_tools_after_break: patch.keepToolsAfterBreak }),
    ...(patch.envelope !== undefined && { envelope: JSON.stringify(patch.envelope) }),
  };
}
