import type { ProjectId } from '@bough/core';
import { sql } from 'kysely';
import { SMALLEST_MISS, SURELY_KEPT_MS } from '../cache-findings.ts';
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
      const [availability, calls, recorded, repairs, cache] = await Promise.all([
        countThinking(database, project),
        countCalls(database, project),
        countRecorded(database, project),
        countRepairs(database, project),
        countMisses(database, project),
      ]);
      return { availability, calls, recorded, repairs, cache };
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

const tokens = (name: string) => sql`coalesce(sum((usage::json ->> ${name})::numeric), 0)`;

async function countCalls(database: Database, project: ProjectId | undefined): Promise<Statistics['calls']> {
  const { rows } = await repeatable(database, (db) =>
    sql<Statistics['calls'][number]>`
      SELECT
        provider,
        model,
        status,
        error_code AS "errorCode",
        purpose,
        count(*) AS count,
        ${tokens('inputTokens')} AS "inputTokens",
        ${tokens('outputTokens')} AS "outputTokens",
        ${tokens('reasoningTokens')} AS "reasoningTokens",
        sum(cost) AS cost
      FROM calls WHERE true ${ofProject(project)}
      GROUP BY provider, model, status, error_code, purpose
      ORDER BY provider, model, status, error_code, purpose`.execute(db),
  );
  return rows;
}

async function countRecorded(database: Database, project: ProjectId | undefined): Promise<Statistics['recorded']> {
  const { rows } = await repeatable(database, (db) =>
    sql<Statistics['recorded'][number]>`
      SELECT
        exchange::json ->> 'client' AS client,
        provider,
        model,
        exchange::json ->> 'mode' AS mode,
        count(*) AS count,
        count(*) FILTER (WHERE json_array_length(exchange::json -> 'repairs') > 0) AS repaired,
        ${tokens('inputTokens')} AS "inputTokens",
        ${tokens('cachedInputTokens')} AS "cachedInputTokens",
        ${tokens('cacheWriteTokens')} AS "cacheWriteTokens",
        ${tokens('outputTokens')} AS "outputTokens",
        sum(cost) AS cost
      FROM calls WHERE exchange IS NOT NULL ${ofProject(project)}
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`.execute(db),
  );
  return rows;
}

async function countRepairs(database: Database, project: ProjectId | undefined): Promise<Statistics['repairs']> {
  const { rows } = await repeatable(database, (db) =>
    sql<Statistics['repairs'][number]>`
      SELECT exchange::json ->> 'client' AS client, provider, repair ->> 'rule' AS rule, status, count(*) AS count
      FROM calls CROSS JOIN LATERAL json_array_elements(exchange::json -> 'repairs') AS repair
      WHERE exchange IS NOT NULL ${ofProject(project)}
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`.execute(db),
  );
  return rows;
}

/** The same as `missedBy` says of a call. */
async function countMisses(database: Database, project: ProjectId | undefined): Promise<Statistics['cache']> {
  const { rows } = await repeatable(database, (db) =>
    sql<Statistics['cache'][number]>`
      SELECT provider, model, reason, count(*) AS count, sum(missed) AS "missedTokens"
      FROM (
        SELECT
          provider,
          model,
          (usage::json ->> 'expectedCachedTokens')::numeric AS expected,
          (usage::json ->> 'expectedCachedTokens')::numeric - (usage::json ->> 'cachedInputTokens')::numeric AS missed,
          CASE
            WHEN usage::json -> 'cacheTold' ->> 'type' = 'differs' THEN usage::json -> 'cacheTold' ->> 'reason'
            WHEN (usage::json ->> 'expectedAgeMs')::numeric >= ${SURELY_KEPT_MS}::numeric THEN 'expired'
            ELSE 'unexplained'
          END AS reason
        FROM calls WHERE usage IS NOT NULL ${ofProject(project)}
      ) AS judged
      WHERE missed >= ${SMALLEST_MISS}::numeric AND missed * 10 >= expected
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`.execute(db),
  );
  return rows;
}

function ofProject(project: ProjectId | undefined) {
  return project === undefined ? sql`` : sql`AND project_id = ${project}`;
}
