import { projectId } from '@bough/core';
import { sql } from 'kysely';
import type { ModelSpending } from '../spending.ts';
import type { Store } from '../store.ts';
import type { Database } from './connection/pool.ts';
import { repeatable } from './connection/transaction.ts';

export function spendingMethods(database: Database): Pick<Store, 'spending'> {
  return {
    spending: async ({ from, until, project, client, by = [] }) => {
      const told = (what: 'day' | 'project' | 'client', column: string) =>
        by.includes(what) ? sql.ref(column) : sql<null>`NULL::text`;
      const { rows } = await repeatable(database, (db) =>
        sql<ModelSpending>`
          SELECT
            ${told('day', 'day')} AS day,
            ${told('project', 'project_id')} AS project,
            ${told('client', 'client')} AS client,
            provider,
            model,
            sum(calls)::float8 AS calls,
            sum(uncounted)::float8 AS uncounted,
            sum(unpriced)::float8 AS unpriced,
            sum(input_tokens) AS "inputTokens",
            sum(output_tokens) AS "outputTokens",
            sum(cached_tokens) AS "cachedInputTokens",
            sum(written_tokens) AS "cacheWriteTokens",
            sum(reasoning_tokens) AS "reasoningTokens",
            sum(cost) AS cost
          FROM spending
          WHERE true
            ${from === undefined ? sql`` : sql`AND day >= ${from}`}
            ${until === undefined ? sql`` : sql`AND day <= ${until}`}
            ${project === undefined ? sql`` : sql`AND project_id = ${project}`}
            ${client === undefined ? sql`` : sql`AND spending.client = ${client}`}
          GROUP BY 1, 2, 3, provider, model`.execute(db),
      );
      return rows.map((row) => ({ ...row, project: row.project === null ? null : projectId(row.project) }));
    },
  };
}
