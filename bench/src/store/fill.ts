import type { BenchServer } from './server.ts';

/**
 * Makes a project large: copies of all its nodes and turns, with new random ids, written by the database itself. Everything that
 * an append touches is as full as it would be otherwise; importing a million nodes by the store would only take longer.
 */
export async function multiply(server: BenchServer, schema: string, copies: number): Promise<void> {
  if (copies === 0) return;
  const indexes = await secondaryIndexes(server, schema);
  await server.query(`
    SET search_path = ${schema}, public;
    SET maintenance_work_mem = '256MB';
    -- What is copied fits together; checking every key of every row would take longer than writing it.
    SET session_replication_role = replica;`);
  try {
    for (const { name } of indexes) await server.query(`DROP INDEX ${name}`);
    for (const table of ['turns', 'nodes']) {
      const columns = await columnsOf(server, schema, table);
      const values = columns.map((column) => (COPIED_ANEW.has(column) ? `md5(${column} || copy)::uuid::text` : column));
      await server.query(
        `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${table}, generate_series(1, ${copies}) AS copy ORDER BY copy, position`,
      );
    }
    for (const { definition } of indexes) await server.query(definition);
  } finally {
    await server.query('RESET ALL');
  }
}

/** The same messages in the floor's table. */
export async function copyToFloor(server: BenchServer, schema: string, floorSchema: string): Promise<void> {
  await server.query(`
    INSERT INTO ${floorSchema}.messages (project_id, id, parent_id, role, blocks)
    SELECT project_id, id, parent_id, role, content_blocks::json FROM ${schema}.nodes ORDER BY position`);
}

/** What time does by itself: statistics, visibility, and no dirty page that the first contestant would have to write. */
export async function settle(server: BenchServer): Promise<void> {
  await server.query('VACUUM ANALYZE');
  await server.query('CHECKPOINT');
}

const COPIED_ANEW: ReadonlySet<string> = new Set(['id', 'parent_id', 'turn_id', 'match_key', 'made_with_prefix']);

/** The order of storage is the database's to give. */
async function columnsOf(server: BenchServer, schema: string, table: string): Promise<readonly string[]> {
  const rows = await server.query(
    `SELECT column_name FROM information_schema.columns
     WHERE table_schema = '${schema}' AND table_name = '${table}' AND is_identity = 'NO' ORDER BY ordinal_position`,
  );
  return rows.map((row) => String(row['column_name']));
}

/** Those that belong to no key: built once at the end instead of row by row. */
async function secondaryIndexes(
  server: BenchServer,
  schema: string,
): Promise<readonly { readonly name: string; readonly definition: string }[]> {
  const rows = await server.query(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid IN ('${schema}.nodes'::regclass, '${schema}.turns'::regclass)
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
  );
  return rows.map((row) => ({ name: String(row['name']), definition: String(row['definition']) }));
}
