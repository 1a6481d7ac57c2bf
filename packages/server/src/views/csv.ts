type Cell = string | number | null;

/** A table as RFC 4180 wants it. What is unknown is an empty cell, never a zero. */
export function csvOf<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
): string {
  return `${columns.join(',')}\r\n${csvRows(columns, rows)}`;
}

/** Its rows alone, for a table that is sent in parts. */
export function csvRows<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
): string {
  return rows.map((row) => `${columns.map((column) => cellOf(row[column])).join(',')}\r\n`).join('');
}

/** A text that begins like a formula would be run by a spreadsheet: it is marked as text. */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
