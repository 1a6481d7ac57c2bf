import { sql } from 'kysely';
import type { RawBuilder, Transaction } from 'kysely';
import type { TableName, Tables } from '../tables.ts';

/** Copies the rows that a condition finds into the trash, in their order. `row` stands for a row of the table. */
export async function keepRows(
  trx: Transaction<Tables>,
  entry: string,
  table: TableName,
  condition: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    INSERT INTO trash_rows (trash_id, kind, data)
    SELECT ${entry}, ${table}, row_to_json(kept)::text FROM ${sql.table(table)} AS kept WHERE ${condition}`.execute(
    trx,
  );
}

/** Has an entry refer to the blobs that the found references name. */
export async function keepBlobs(
  trx: Transaction<Tables>,
  entry: string,
  condition: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    INSERT INTO trash_blobs (trash_id, hash) SELECT DISTINCT ${entry}, hash FROM blob_refs WHERE ${condition}`.execute(
    trx,
  );
}

/**
 * Stores the rows of a table again, with their places in the order. A column that was added since gets its default, one
 * that was dropped since is left out: a migration need not know about the trash.
 */
export async function returnRows(
  trx: Transaction<Tables>,
  entry: string,
  table: TableName,
  onConflict: RawBuilder<unknown> = sql``,
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    SELECT attname AS name FROM pg_attribute
    WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped AND attname IN (
      SELECT json_object_keys(data::json) FROM (
        SELECT data FROM trash_rows WHERE trash_id = ${entry} AND kind = ${table} LIMIT 1
      ) AS first
    )`.execute(trx);
  if (rows.length === 0) return;
  const columns = sql.join(rows.map(({ name }) => sql.ref(name)));
  const values = sql.join(rows.map(({ name }) => sql.ref(`kept.${name}`)));
  const into = sql.table(table);
  await sql`
    INSERT INTO ${into} (${columns}) OVERRIDING SYSTEM VALUE
    SELECT ${values} FROM trash_rows CROSS JOIN LATERAL json_populate_record(null::${into}, data::json) AS kept
    WHERE trash_rows.trash_id = ${entry} AND trash_rows.kind = ${table}
    ORDER BY trash_rows.position ${onConflict}`.execute(trx);
}

/** One text field of the kept rows of a table, in order. */
export async function fieldOfRows(
  trx: Transaction<Tables>,
  entry: string,
  table: TableName,
  field: string,
): Promise<readonly (string | null)[]> {
  const { rows } = await sql<{ value: string | null }>`
    SELECT data::json ->> ${field} AS value FROM trash_rows
    WHERE trash_id = ${entry} AND kind = ${table} ORDER BY position`.execute(trx);
  return rows.map(({ value }) => value);
}
