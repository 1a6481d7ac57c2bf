import type { Migration } from './migration.ts';

/**
 * What calls used, by day, project, client and model. Budgets are asked for with every request: summing calls up each
 * time would cost more every day. What was used before this migration is not in it.
 */
export const spending: Migration = {
  number: 17,
  name: 'spending',
  statements: [
    `CREATE TABLE spending (
      day text COLLATE "C" NOT NULL,
      project_id text COLLATE "C" NOT NULL,
      client text COLLATE "C" NOT NULL,
      provider text COLLATE "C" NOT NULL,
      model text COLLATE "C" NOT NULL,
      calls bigint NOT NULL,
      uncounted bigint NOT NULL,
      unpriced bigint NOT NULL,
      input_tokens double precision NOT NULL,
      output_tokens double precision NOT NULL,
      cost double precision NOT NULL,
      PRIMARY KEY (day, project_id, client, provider, model)
    )`,
    `CREATE INDEX spending_of_project ON spending (project_id, day)`,
  ],
};
