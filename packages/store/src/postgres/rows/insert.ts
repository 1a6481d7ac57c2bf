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

/** How many rows a text is written for. */
export type Amount = 'one' | 'many';

/** Of rows that one statement stores in several tables. */
export function amountOf(...tables: readonly (readonly unknown[])[]): Amount {
  return tables.every((rows) => rows.length === 1) ? 'one' : 'many';
}

/**
 * The text that inserts rows in their order, which becomes the order of storage, with parameters from `$first` on. `given` may bring a table in
 * front of the rows: where that is empty, nothing is inserted.
 *
 * For many rows there is one array per column: the text is the same for none and for a thousand, and no limit on the number of parameters is
 * near. To take twenty arrays apart costs as much as storing the row, so that a single row, as most turns have it, is given by its values.
 */
export function insertText(table: keyof Tables, first: number, given = '', amount: Amount = 'many'): string {
  const columns: readonly [string, ColumnType][] = Object.entries(COLUMNS[table]);
  const names = columns.map(([name]) => `"${name}"`).join(', ');
  const parameters = columns.map(([, type], index) => `$${first + index}::${type}`);
  const into = `INSERT INTO "${table}" (${names})`;
  if (amount === 'one') return `${into} SELECT ${parameters.join(', ')} ${given === '' ? '' : `FROM ${given}`}`;
  const arrays = parameters.map((parameter) => `${parameter}[]`).join(', ');
  const from = `${given === '' ? '' : `${given}, `}unnest(${arrays}) WITH ORDINALITY AS given (${names}, nth)`;
  return `${into} SELECT ${names} FROM ${from} ORDER BY nth`;
}

/** The parameters that `insertText` names. */
export function insertValues<Table extends keyof Tables>(
  table: Table,
  rows: Rows<Table>,
  amount: Amount = 'many',
): readonly unknown[] {
  const columns = columnsOf(table);
  if (amount === 'many') return columns.map(([name]) => rows.map((row) => row[name]));
  const [row] = rows;
  return columns.map(([name]) => row?.[name] ?? null);
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
