import type { Migration } from './migration.ts';

const BY_PROJECT = ['branches', 'turns', 'nodes', 'calls', 'raws', 'renderings', 'stream_log'];

/**
 * Of a project that came in after the statistics were taken PostgreSQL believes that it has one row at most: then
 * reading all of it seems as good as finding one row by its key, and a path is read by reading the whole project once
 * per step. Without statistics of this column it takes every project for large.
 */
export const steadyPlans: Migration = {
  number: 3,
  name: 'steady plans',
  statements: BY_PROJECT.map((table) => `ALTER TABLE ${table} ALTER COLUMN project_id SET STATISTICS 0`),
};
