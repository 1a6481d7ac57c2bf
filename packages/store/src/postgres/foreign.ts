import type { ProjectId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Kysely } from 'kysely';
import type { ForeignDocument } from '../foreign.ts';
import { requireForeignName } from '../foreign.ts';
import type { Store } from '../store.ts';
import type { Database } from './connection/pool.ts';
import { inTransaction, repeatable } from './connection/transaction.ts';
import { foreignOf, foreignRow } from './rows/foreign.ts';
import { insertRows } from './rows/insert.ts';
import type { Tables } from './tables.ts';

export function foreignMethods(database: Database): Pick<Store, 'foreignDocuments' | 'replaceForeign'> {
  return {
    foreignDocuments: (project) =>
      repeatable(database, async (db) => {
        const found = await db.selectFrom('projects').select('id').where('id', '=', project).executeTakeFirst();
        if (found === undefined) throw new UnknownIdError('project', project);
        return readForeign(db, project);
      }),

    replaceForeign: async (project, documents) => {
      for (const { name } of documents) requireForeignName(name);
      await inTransaction(database, async (trx) => {
        // Locked, so that of two writers one comes after the other.
        const found = await trx
          .selectFrom('projects')
          .select('id')
          .where('id', '=', project)
          .forUpdate()
          .executeTakeFirst();
        if (found === undefined) throw new UnknownIdError('project', project);
        await trx.deleteFrom('foreign_documents').where('project_id', '=', project).execute();
        await insertRows(
          trx,
          'foreign_documents',
          documents.map((document) => foreignRow({ ...document, projectId: project })),
        );
      });
    },
  };
}

export async function readForeign(db: Kysely<Tables>, project: ProjectId): Promise<readonly ForeignDocument[]> {
  const rows = await db
    .selectFrom('foreign_documents')
    .selectAll()
    .where('project_id', '=', project)
    .orderBy('name')
    .execute();
  return rows.map(foreignOf);
}
