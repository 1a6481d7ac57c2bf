import type { Migration } from './migration.ts';

/** What decides how earlier replies are sent became a choice of the branch. */
export const replayBy: Migration = {
  number: 8,
  name: 'replay by',
  statements: [`ALTER TABLE branches ADD COLUMN replay_by text NOT NULL DEFAULT 'issuer'`],
};
