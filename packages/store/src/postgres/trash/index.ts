import { UnknownIdError } from '@bough/core';
import { sql } from 'kysely';
import type { Store } from '../../store.ts';
import type { TrashEntry, TrashQuery } from '../../trash.ts';
import { isAsked, newestFirst } from '../../trash.ts';
import type { Database } from '../connection/pool.ts';
import { TAKES_LONG } from '../connection/settings.ts';
import { inTransaction, repeatable } from '../connection/transaction.ts';
import type { Moves } from './keep.ts';
import { restoreEntry } from './restore.ts';

export function trashMethods(database: Database): Pick<Store, 'listTrash' | 'restoreTrash' | 'purgeTrash'> {
  const list = (query: TrashQuery): Promise<readonly TrashEntry[]> =>
    repeatable(database, async (db) => {
      const rows = await db
        .selectFrom('trash')
        .select('entry')
        .$if(query.projectId !== undefined, (all) => all.where('project_id', '=', query.projectId ?? ''))
        .$if(query.id !== undefined, (all) => all.where('id', '=', query.id ?? ''))
        .orderBy('position')
        .execute();
      return newestFirst(rows.map(({ entry }) => JSON.parse(entry) as TrashEntry).filter((one) => isAsked(one, query)));
    });

  return {
    listTrash: list,

    restoreTrash: (id) =>
      inTransaction(database, async (trx) => {
        const row = await trx
          .selectFrom('trash')
          .select(['entry', 'moves'])
          .where('id', '=', id)
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined) throw new UnknownIdError('trash entry', id);
        const entry = JSON.parse(row.entry) as TrashEntry;
        await restoreEntry(trx, entry, JSON.parse(row.moves) as Moves);
        await trx.deleteFrom('trash').where('id', '=', id).execute();
        return entry;
      }),

    purgeTrash: async (query) => {
      const found = await list(query);
      if (found.length === 0 && query.id !== undefined) throw new UnknownIdError('trash entry', query.id);
      const ids = found.map(({ id }) => id);
      if (ids.length === 0) return [];
      await inTransaction(database, async (trx) => {
        await sql.raw(TAKES_LONG).execute(trx);
        await trx
          .deleteFrom('trash')
          .where(sql<boolean>`id = ANY(${ids})`)
          .execute();
      });
      return found;
    },
  };
}
