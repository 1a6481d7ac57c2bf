import type { CustomTypesConfig } from 'pg';
import pg from 'pg';
import { fromStorable, parseStoredJson } from './exact-text.ts';

const { BOOL, BYTEA, FLOAT8, INT2, INT4, INT8, JSON: JSON_TYPE, NUMERIC, TEXT } = pg.types.builtins;

const TEXT_PARSERS: ReadonlyMap<number, (value: string) => unknown> = new Map<number, (value: string) => unknown>([
  [TEXT, fromStorable],
  [JSON_TYPE, parseStoredJson],
  // Positions and sums stay far below 2^53; the driver's default for them is a string.
  [INT8, Number],
  [NUMERIC, Number],
]);

const DRIVERS_OWN: ReadonlySet<number> = new Set([BOOL, BYTEA, FLOAT8, INT2, INT4]);

/** How columns become values. A type that is not listed stays text, as the driver received it. */
export const columnTypes: CustomTypesConfig = {
  getTypeParser: (id, format) => {
    if (format === 'binary') return pg.types.getTypeParser(id, format);
    const own = TEXT_PARSERS.get(id);
    if (own !== undefined) return own;
    return DRIVERS_OWN.has(id) ? pg.types.getTypeParser(id, 'text') : (value: string) => value;
  },
};
