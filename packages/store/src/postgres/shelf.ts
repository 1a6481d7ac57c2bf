import type { Selectable } from 'kysely';
import type { ShelfDocument } from '../shelf.ts';
import { documentChanged, requireDocumentName } from '../shelf.ts';
import type { Store } from '../store.ts';
import type { Database } from './connection/pool.ts';
import { prepared } from './connection/prepared.ts';
import { inTransaction, repeatable } from './connection/transaction.ts';
import type { ShelfRow } from './tables.ts';

/** Asked after every turn, for the model that writes titles. */
const GET = prepared<Selectable<ShelfRow>>('get_document', 'SELECT name, version, value FROM shelf WHERE name = $1');

export function shelfMethods(database: Database): Pick<Store, 'listDocuments' | 'getDocument' | 'putDocument'> {
  return {
    listDocuments: () =>
      repeatable(database, async (db) =>
        (await db.selectFrom('shelf').selectAll().orderBy('name').execute()).map(documentOf),
      ),

    getDocument: (name) =>
      repeatable(database, async () => {
        const [row] = await GET.run(database, [name]);
        return row === undefined ? null : documentOf(row);
      }),

    putDocument: async (name, value, expected) => {
      requireDocumentName(name);
      const row = { name, version: expected + 1, value: JSON.stringify(value) };
      // In a transaction because of its receipt: repeated after a lost answer, it would refuse its own write.
      return inTransaction(database, async (trx) => {
        const written =
          expected === 0
            ? await trx
                .insertInto('shelf')
                .values(row)
                .onConflict((taken) => taken.doNothing())
                .returningAll()
                .executeTakeFirst()
            : await trx
                .updateTable('shelf')
                .set(row)
                .where('name', '=', name)
                .where('version', '=', expected)
                .returningAll()
                .executeTakeFirst();
        if (written === undefined) throw documentChanged(name);
        return documentOf(written);
      });
    },
  };
}

function documentOf({ name, version, value }: Selectable<ShelfRow>): ShelfDocument {
  return { name, version, value: JSON.parse(value) as unknown };
}
