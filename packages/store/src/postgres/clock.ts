import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/**
 * Milliseconds since 1970, for leases. Null: the database's own clock, the only one that all servers agree on.
 */
export type Clock = (() => number) | null;

/** The database's clock as part of a statement. */
export const DATABASE_TIME = '(extract(epoch FROM clock_timestamp()) * 1000)::double precision';

/** The time as part of a statement. */
export function timeOf(clock: Clock): RawBuilder<number> {
  if (clock !== null) return sql<number>`${clock()}::double precision`;
  return sql.raw<number>(DATABASE_TIME);
}
