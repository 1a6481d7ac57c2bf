import type { Insertable, Kysely } from 'kysely';
import { CompiledQuery } from 'kysely';
import type { Tables } from '../tables.ts';

type ColumnType = 'text' | 'boolean' | 'double precision' | 'bigint' | 'bytea';
type Columns<Table extends keyof Tables> = Readonly<Record<keyof Insertable<Tables[Table]>, ColumnType>>;

/** Every column that is written, with its type. A column that is added to a table and not here does not compile. */
const COLUMNS: { readonly [Table in keyof Tables]: Columns<Table> } = {
  projects: {
    id: 'text',
    name: 'text',
    description: 'text',
    system_prompt: 'text',
    defaults: 'text',
    archived: 'boolean',
    created_at: 'text',
  },
  branches: {
    project_id: 'text',
    id: 'text',
    name: 'text',
    tip_id: 'text',
    forked_from_id: 'text',
    envelope: 'text',
    previous_response_id: 'text',
    keep_tools_after_break: 'boolean',
    pinned: 'boolean',
    hidden: 'boolean',
    color: 'text',
    created_at: 'text',
  },
  turns: {
    project_id: 'text',
    id: 'text',
    branch_id: 'text',
    is_thinking_mode: 'boolean',
    status: 'text',
    created_at: 'text',
    client_request_id: 'text',
    owner: 'text',
    lease_until: 'double precision',
    interrupt_requested: 'boolean',
  },
  nodes: {
    project_id: 'text',
    id: 'text',
    parent_id: 'text',
    turn_id: 'text',
    created_on_branch: 'text',
    role: 'text',
    content_blocks: 'text',
    content: 'text',
    folded: 'text',
    provider: 'text',
    model_used: 'text',
    tool_call_id: 'text',
    availability: 'text',
    thinking_truncated: 'boolean',
    made_with_prefix: 'text',
    previous_thinking: 'text',
    is_error: 'boolean',
    interrupted: 'boolean',
    include_thinking: 'boolean',
    match_key: 'text',
    created_at: 'text',
  },
  calls: {
    project_id: 'text',
    id: 'text',
    turn_id: 'text',
    node_id: 'text',
    provider: 'text',
    deployment: 'text',
    model: 'text',
    status: 'text',
    request_hash: 'text',
    provider_request_id: 'text',
    response_id: 'text',
    started_at: 'text',
    first_byte_at: 'text',
    ended_at: 'text',
    usage: 'text',
    cost: 'double precision',
    error_code: 'text',
  },
  raws: { project_id: 'text', call_id: 'text', bytes: 'bytea' },
  renderings: { project_id: 'text', node_id: 'text', key: 'text', bytes: 'text' },
  stream_log: { project_id: 'text', turn_id: 'text', seq: 'bigint', data: 'text' },
};

type Rows<Table extends keyof Tables> = readonly Insertable<Tables[Table]>[];

function columnsOf<Table extends keyof Tables>(table: Table) {
  return Object.entries(COLUMNS[table]) as [keyof Insertable<Tables[Table]> & string, ColumnType][];
}

/**
 * The text that inserts rows in their order, which becomes the order of storage. One array per column, from the parameter `$first` on: the
 * text is the same for one row and for a thousand, and no limit on the number of parameters is near. `given` may bring a table in front of
 * the rows: where that is empty, nothing is inserted.
 */
export function insertText(table: keyof Tables, first: number, given = ''): string {
  const columns: readonly [string, ColumnType][] = Object.entries(COLUMNS[table]);
  const names = columns.map(([name]) => `"${name}"`).join(', ');
  const values = columns.map(([, type], index) => `$${first + index}::${type}[]`).join(', ');
  const from = `${given === '' ? '' : `${given}, `}unnest(${values}) WITH ORDINALITY AS given (${names}, nth)`;
  return `INSERT INTO "${table}" (${names}) SELECT ${names} FROM ${from} ORDER BY nth`;
}

/** The parameters that `insertText` names. */
export function insertValues<Table extends keyof Tables>(table: Table, rows: Rows<Table>): readonly unknown[][] {
  return columnsOf(table).map(([name]) => rows.map((row) => row[name]));
}

/** How many parameters `insertText` takes. */
export function columnCount(table: keyof Tables): number {
  return columnsOf(table).length;
}

export async function insertRows<Table extends keyof Tables>(
  db: Kysely<Tables>,
  table: Table,
  rows: Rows<Table>,
  onConflict = '',
): Promise<void> {
  if (rows.length === 0) return;
  const text = `${insertText(table, 1)} ${onConflict}`;
  await db.executeQuery({ ...CompiledQuery.raw(text), parameters: insertValues(table, rows) });
}
