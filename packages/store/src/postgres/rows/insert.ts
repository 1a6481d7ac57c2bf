import type { Insertable, Kysely } from 'kysely';
import { CompiledQuery } from 'kysely';
import type { Tables } from '../tables.ts';
import { COLUMNS } from '../tables.ts';

type Rows<Table extends keyof Tables> = readonly Insertable<Tables[Table]>[];

/** The columns of a table, each with its PostgreSQL type. */
function columnsOf<Table extends keyof Tables>(table: Table) {
  const entries = Object.entries(COLUMNS[table]).map(([name, type]) => [name, type.replace(' null', '')]);
  return entries as [keyof Insertable<Tables[Table]> & string, string][];
}

/** How many rows a statement's text is for. */
export type Amount = 'one' | 'many';

/** For rows that one statement stores in several tables. */
export function amountOf(...tables: readonly (readonly unknown[])[]): Amount {
  return tables.every((rows) => rows.length === 1) ? 'one' : 'many';
}

/**
 * The text that inserts rows in order, which becomes the order of storage, with parameters from `$first` on. `given`
 * may put a table before the rows: where that is empty, nothing is inserted.
 *
 * For many rows there is one array per column: the text is the same for none and for a thousand, and far from any limit
 * on the number of parameters. Unpacking twenty arrays costs as much as storing the row, so a single row, the usual
 * case, is passed as plain values.
 */
export function insertText(table: keyof Tables, first: number, given = '', amount: Amount = 'many'): string {
  const columns: readonly (readonly [string, string])[] = columnsOf(table);
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
