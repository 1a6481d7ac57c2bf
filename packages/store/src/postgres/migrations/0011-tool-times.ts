import type { Migration } from './migration.ts';

/** How long a tool ran is stored with its result: what lies between two messages may be a person who was asked. */
export const toolTimes: Migration = {
  number: 11,
  name: 'tool times',
  statements: [`ALTER TABLE nodes ADD COLUMN tool_ms double precision`],
};
