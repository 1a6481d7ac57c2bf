import type { Migration } from './migration.ts';

/**
 * Which response a request may continue from is read from the newest reply's own call: a second copy could only be
 * wrong.
 */
export const noResponseId: Migration = {
  number: 6,
  name: 'no response id',
  statements: ['ALTER TABLE branches DROP COLUMN previous_response_id'],
};
