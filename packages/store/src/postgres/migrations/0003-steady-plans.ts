import type { Migration } from './migration.ts';

const BY_PROJECT = ['branches', 'turns', 'nodes', 'calls', 'raws', 'renderings', 'stream_log'];

/**
 * For a project added after the statistics were taken, PostgreSQL assumes at most one row: reading all of it then seems
 * as good as finding one row by its key, and a path is read by scanning the whole project once per step. Without
 * statistics of this column it assumes that every project is large.
 */
export const steadyPlans: Migration = {
  number: 3,
  name: 'steady plans',
  statements: BY_PROJECT.map((table) => `ALTER TABLE ${table} ALTER COLUMN project_id SET STATISTICS 0`),
};
