import type { ProjectId } from '@bough/core';
import { sql } from 'kysely';
import type { Statistics, Store } from '../store.ts';
import type { Database } from './connection/pool.ts';
import { repeatable } from './connection/transaction.ts';
import { requireThere } from './expectations.ts';

/** Stands for the maker of a node that does not name one. */
const UNKNOWN = 'unknown';

export function statisticsMethods(database: Database): Pick<Store, 'statistics'> {
  return {
    statistics: async (project) => {
      if (project !== undefined) await requireThere(database, { project });
      const [availability, calls] = await Promise.all([
        countThinking(database, project),
        countCalls(database, project),
      ]);
      return { availability, calls };
    },
  };
}

async function countThinking(database: Database, project: ProjectId | undefined): Promise<Statistics['availability']> {
  const { rows } = await repeatable(database, (db) =>
    sql<Statistics['availability'][number]>`
      SELECT
        coalesce(provider, ${UNKNOWN}) AS provider,
        coalesce(model_used, ${UNKNOWN}) AS model,
        availability,
        count(*) AS count
      FROM nodes WHERE availability IS NOT NULL ${ofProject(project)}
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`.execute(db),
  );
  return rows;
}

async function countCalls(database: Database, project: ProjectId | undefined): Promise<Statistics['calls']> {
  const tokens = (name: string) => sql`coalesce(sum((usage::json ->> ${name})::numeric), 0)`;
  const { rows } = await repeatable(database, (db) =>
    sql<Statistics['calls'][number]>`
      SELECT
        provider,
        model,
        status,
        error_code AS "errorCode",
        count(*) AS count,
        ${tokens('inputTokens')} AS "inputTokens",
        ${tokens('outputTokens')} AS "outputTokens",
        ${tokens('reasoningTokens')} AS "reasoningTokens",
        sum(cost) AS cost
      FROM calls WHERE true ${ofProject(project)}
      GROUP BY provider, model, status, error_code ORDER BY provider, model, status, error_code`.execute(db),
  );
  return rows;
}

function ofProject(project: ProjectId | undefined) {
  return project === undefined ? sql`` : sql`AND project_id = ${project}`;
}
