import type { Migration } from './migration.ts';

/** Which part of the input a cache had or got, and which part of the output was reasoning: each has its own price. */
export const spendingParts: Migration = {
  number: 19,
  name: 'spending-parts',
  statements: [
    `ALTER TABLE spending
      ADD COLUMN cached_tokens double precision NOT NULL DEFAULT 0,
      ADD COLUMN written_tokens double precision NOT NULL DEFAULT 0,
      ADD COLUMN reasoning_tokens double precision NOT NULL DEFAULT 0`,
  ],
};
