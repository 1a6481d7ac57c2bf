import type { BenchServer } from './server.ts';

/** How often somebody at work says something. */
const TURN_MS = 60_000;

/** When the turns of the first conversation took place. */
export function timeOfTurn(nth: number): number {
  return nth * TURN_MS;
}

/**
 * Makes a project large: copies all its nodes and turns under new ids, written by the database itself. Keys and indexes
 * are dropped and restored afterwards, when the database checks and builds them in one go: the result is what the
 * store's own import would have produced, only faster.
 *
 * Ids are what they would be if the project had grown at its own pace, a turn a minute and one conversation after the
 * other: each copy starts at the time at which the previous one ended. Half a million turns take a year, so every index
 * is full everywhere, and what is appended now lands where the ids of these minutes are, among those of many days
 * before.
 */
export async function multiply(
  server: BenchServer,
  schema: string,
  { turns, copies }: { readonly turns: number; readonly copies: number },
): Promise<void> {
  if (copies === 0) return;
  await server.query(
    `SET search_path = ${schema}, public; SET maintenance_work_mem = '1GB'; SET max_parallel_maintenance_workers = 2`,
  );
  try {
    const putBack = await takeOff(server);
    for (const table of ['turns', 'nodes']) {
      const columns = await columnsOf(server, schema, table);
      await server.query(`CREATE TEMPORARY TABLE first_${table} AS SELECT * FROM ${table}`);
      for (let copy = 1; copy <= copies; copy += 1) {
        const values = columns.map((column) =>
          IDS.has(column)
            ? laterId(column, { copy, turns })
            : column === 'created_at'
              ? laterTime(copy, turns)
              : column,
        );
        await server.query(
          `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM first_${table} ORDER BY position`,
        );
      }
      await server.query(`DROP TABLE first_${table}`);
    }
    for (const statement of putBack) await server.query(statement);
  } finally {
    await server.query('RESET ALL');
  }
}

const IDS: ReadonlySet<string> = new Set(['id', 'parent_id', 'turn_id']);

/**
 * The id of the same thing in the conversation that started this much later: its first byte is the time (ID-1 in the
 * engine's rules).
 */
function laterId(column: string, { copy, turns }: { readonly copy: number; readonly turns: number }): string {
  const slots = Math.round((copy * timeOfTurn(turns)) / 2 ** 18);
  const slot = `(('x' || left(${column}, 2))::bit(8)::integer + ${slots}) % 256`;
  return `lpad(to_hex(${slot}), 2, '0') || substr(md5(${column} || ${copy})::uuid::text, 3)`;
}

function laterTime(copy: number, turns: number): string {
  return `to_char(created_at::timestamptz AT TIME ZONE 'UTC' + interval '${copy * timeOfTurn(turns)} milliseconds',
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * Drops every key and index of the two tables, and returns the statements that restore them: keys, indexes, and the
 * foreign keys that point to the keys.
 */
async function takeOff(server: BenchServer): Promise<readonly string[]> {
  const text = async (query: string): Promise<readonly string[]> =>
    (await server.query(query)).map((row) => String(row['text']));
  const constraints = (types: string, statement: string): Promise<readonly string[]> =>
    text(`SELECT format('ALTER TABLE %s ${statement}', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS text
      FROM pg_constraint WHERE contype IN (${types}) AND (conrelid IN ${TABLES} OR confrelid IN ${TABLES})`);
  const indexes = (expression: string): Promise<readonly string[]> =>
    text(`SELECT ${expression} AS text FROM pg_index
      WHERE indrelid IN ${TABLES} AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`);
  const back = [
    ...(await constraints(`'p', 'u'`, 'ADD CONSTRAINT %I %s')),
    ...(await indexes('pg_get_indexdef(indexrelid)')),
    ...(await constraints(`'f'`, 'ADD CONSTRAINT %I %s')),
  ];
  const away = [
    ...(await constraints(`'f'`, 'DROP CONSTRAINT %I')),
    ...(await constraints(`'p', 'u'`, 'DROP CONSTRAINT %I')),
    ...(await indexes(`format('DROP INDEX %s', indexrelid::regclass)`)),
  ];
  for (const statement of away) await server.query(statement);
  return back;
}

const TABLES = `('nodes'::regclass, 'turns'::regclass)`;

/** The same messages for the floor. */
export async function copyToFloor(server: BenchServer, schema: string, floorSchema: string): Promise<void> {
  await server.query(`
    INSERT INTO ${floorSchema}.messages (project_id, id, parent_id, role, blocks)
    SELECT project_id, id, parent_id, role, content_blocks::json FROM ${schema}.nodes ORDER BY position`);
}

/**
 * What would happen by itself over time: statistics, visibility, and no dirty page that the first contestant would have
 * to write.
 */
export async function settle(server: BenchServer): Promise<void> {
  await server.query('VACUUM ANALYZE');
  await server.query('CHECKPOINT');
}

/** The order of storage is assigned by the database. */
async function columnsOf(server: BenchServer, schema: string, table: string): Promise<readonly string[]> {
  const rows = await server.query(
    `SELECT column_name FROM information_schema.columns
     WHERE table_schema = '${schema}' AND table_name = '${table}' AND is_identity = 'NO' ORDER BY ordinal_position`,
  );
  return rows.map((row) => String(row['column_name']));
}
