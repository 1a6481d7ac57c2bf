import type { CostRow } from '@bough/api';
import { routes } from '@bough/api';
import type { ProjectId } from '@bough/core';
import { projectId } from '@bough/core';
import type { ModelSpending, SpendingQuery, Store } from '@bough/store';
import { csvOf } from '../views/csv.ts';
import type { App, Parts } from './parts.ts';

/** What was used and what it cost: as rows, and as a table for other programs. */
export function costHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.costs, async (context) =>
    context.json({ rows: await rowsFor(store, context.req.valid('query')) }, 200),
  );
  app.openapi(routes.costsCsv, async (context) => {
    const rows = await rowsFor(store, context.req.valid('query'));
    return context.body(csvOf(COLUMNS, rows), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="bough-costs.csv"',
    });
  });
  app.openapi(routes.branchCosts, async (context) => {
    const { id, name } = context.req.valid('param');
    const lines = await engine.branchCosts(projectId(id), name);
    return context.json({ rows: lines.map((line) => rowOf({ ...line, ...TOGETHER }, new Map())).toSorted(order) }, 200);
  });
}

const TOGETHER = { day: null, project: null, client: null };

const COLUMNS = [
  'day',
  'projectId',
  'projectName',
  'client',
  'provider',
  'model',
  'calls',
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
  'cost',
  'unpriced',
  'uncounted',
] as const satisfies readonly (keyof CostRow)[];

interface Asked {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly project?: string | undefined;
  readonly by?: string | undefined;
}

async function rowsFor(store: Store, { from, until, project, by = '' }: Asked): Promise<CostRow[]> {
  const told = new Set(by.split(','));
  const groups = (['day', 'project', 'client'] as const).filter((group) => told.has(group));
  const query: SpendingQuery = {
    by: groups,
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
    ...(project === undefined ? {} : { project: projectId(project) }),
  };
  const spent = await store.spending(query);
  const projects = groups.includes('project') ? await store.listProjects() : [];
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  return spent.map((row) => rowOf(row, names)).toSorted(order);
}

function rowOf({ project, cost, ...spent }: ModelSpending, names: ReadonlyMap<ProjectId, string>): CostRow {
  const { day, client, provider, model, calls, inputTokens, outputTokens, unpriced, uncounted } = spent;
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = spent;
  return {
    day,
    projectId: project,
    projectName: project === null ? null : (names.get(project) ?? null),
    client,
    provider,
    model,
    calls,
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
    // A sum of unknown costs is unknown, not zero.
    cost: unpriced + uncounted >= calls && calls > 0 ? null : cost,
    unpriced,
    uncounted,
  };
}

/** The newest day first, then what cost most. */
function order(a: CostRow, b: CostRow): number {
  if (a.day !== b.day) return (a.day ?? '') < (b.day ?? '') ? 1 : -1;
  return (b.cost ?? -1) - (a.cost ?? -1) || (a.model < b.model ? -1 : 1);
}
