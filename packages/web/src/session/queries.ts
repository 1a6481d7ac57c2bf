import type {
  BranchView,
  ContextInput,
  ContextReportInput,
  GraphView,
  HistoryView,
  ProjectListView,
} from '@bough/api/client';
import { ApiError } from '@bough/api/client';
import type { QueryKey } from '@tanstack/react-query';
import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import type { Translator } from '../i18n/index.ts';
import { isOutline } from '../view/graph-path.ts';
import { withNewNodes } from '../view/merge-history.ts';
import { client } from './client.ts';
import { branchKey, inTurn } from './one-at-a-time.ts';
import { labelOf } from '../view/merge.ts';

export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 5_000, retry: mayHelp, refetchOnWindowFocus: true } },
});

/** A server that refuses will refuse again; one that cannot be reached may come back. */
function mayHelp(failures: number, error: Error): boolean {
  const isRefusal = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return failures < 2 && !isRefusal;
}

export function asksForToken(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 401;
}

const PAGE_TURNS = 30;

export const PAGE_PROJECTS = 100;

export interface ProjectSearch {
  readonly search: string;
  readonly archived: boolean;
  readonly pinned?: boolean;
  /** Empty: in none. */
  readonly folder?: string;
}

const ALL: ProjectSearch = { search: '', archived: false };
/** What the sidebar shows of them, one below the other; the rest is in folders. */
export const PINNED: ProjectSearch = { ...ALL, pinned: true };
export const UNFILED: ProjectSearch = { ...ALL, pinned: false, folder: '' };
export const inFolder = (folder: string): ProjectSearch => ({ ...ALL, pinned: false, folder });

/** A page of the projects, the last used first. They are never all read: there may be ten thousand. */
export const projectsQuery = (of: ProjectSearch = ALL, page = 0) =>
  queryOptions({
    queryKey: ['projects', { ...of, page }],
    // Pages that were scrolled past are not waited for: a browser sends six requests at a time, and what is looked for
    // next would stand in line behind them.
    queryFn: ({ signal }) => client.listProjects({ ...of, limit: PAGE_PROJECTS, offset: page * PAGE_PROJECTS }, signal),
  });
/** The first few whose names contain a text, archived or not. */
export const namedProjectsQuery = (search: string) =>
  queryOptions({
    queryKey: ['projects', 'named', search],
    queryFn: () => client.listProjects({ search, limit: 20 }),
  });
export const projectQuery = (id: string) =>
  queryOptions({ queryKey: ['project', id], queryFn: () => client.getProject(id) });
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: () => client.listProviders(),
  staleTime: 60_000,
});
export const importLimitsQuery = queryOptions({
  queryKey: ['import-limits'],
  queryFn: () => client.importLimits(),
  staleTime: 60_000,
});
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: () => client.session(), staleTime: 60_000 });
export const toolsQuery = queryOptions({ queryKey: ['tools'], queryFn: () => client.listTools(), staleTime: 60_000 });
export const deploymentsQuery = queryOptions({ queryKey: ['deployments'], queryFn: () => client.listDeployments() });
/** A server that is connecting is looked at every second, one that failed now and then: it is tried again. */
export const mcpServersQuery = queryOptions({
  queryKey: ['mcp-servers'],
  queryFn: () => client.listMcpServers(),
  refetchInterval: ({ state }) => {
    const states = new Set(state.data?.servers.map((server) => server.state));
    return states.has('connecting') ? 1_000 : states.has('failed') ? 5_000 : false;
  },
});
/** Read again while it is looked at: other clients spend, too. */
export const budgetsQuery = queryOptions({
  queryKey: ['budgets'],
  queryFn: () => client.listBudgets(),
  refetchInterval: 10_000,
});
/** What counts in a project. Not under the project's key: most people have no budgets to read again with each turn. */
export const projectBudgetsQuery = (id: string) =>
  queryOptions({
    queryKey: ['budgets', id],
    queryFn: () => client.listBudgets({ project: id }),
    staleTime: 60_000,
  });
export const diagnosticsQuery = queryOptions({ queryKey: ['diagnostics'], queryFn: () => client.diagnostics() });
export const costsQuery = queryOptions({
  queryKey: ['costs'],
  queryFn: () => client.costs({ by: 'day,project' }),
});
/** Under the project's key: every turn makes it stale. */
export const branchCostsQuery = (id: string, ref: string) =>
  queryOptions({ queryKey: ['project', id, 'costs', ref], queryFn: () => client.branchCosts(id, ref) });
export const graphQuery = (id: string) =>
  queryOptions({ queryKey: ['project', id, 'graph'] as const, queryFn: () => readGraph(id) });

/** Only what is new, if the tree was read before: ten thousand nodes are megabytes. Of a larger one, its outline. */
async function readGraph(id: string): Promise<GraphView> {
  const known = queryClient.getQueryData<GraphView>(['project', id, 'graph']);
  const last = known?.nodes.at(-1);
  if (known === undefined || last === undefined || isOutline(known)) return client.graph(id);
  return withNewNodes(known, await client.graph(id, { after: last.id, count: known.nodes.length }));
}

/** The outline of a large tree, with the way to the end of a branch and with what was opened in it. */
export const outlineQuery = (id: string, ref: string, open: readonly string[]) =>
  queryOptions({
    queryKey: ['project', id, 'outline', ref, open] as const,
    queryFn: ({ signal }) => client.graph(id, { ref, open: open.join(',') }, signal),
  });
export const nodeQuery = (id: string, nodeId: string) =>
  queryOptions({ queryKey: ['project', id, 'node', nodeId], queryFn: () => client.getNode(nodeId), staleTime: 60_000 });
/** The first words of a message. They never change, so a change to the project does not make them stale. */
export const labelQuery = (nodeId: string, t: Translator) =>
  queryOptions({
    queryKey: ['label', nodeId, t.language],
    queryFn: async () => [nodeId, labelOf((await client.getNode(nodeId)).node, t)] as const,
    staleTime: Infinity,
  });
/** What the next request contains. Stored under the project's key, so that any change to the project makes it stale. */
export const contextQuery = (id: string, input: ContextInput) =>
  queryOptions({ queryKey: ['project', id, 'context', input], queryFn: () => client.context(id, input), retry: false });
/** The same without the request itself, which the marks next to the messages do not need. */
export const contextReportQuery = (id: string, input: ContextReportInput) =>
  queryOptions({
    queryKey: ['project', id, 'context-report', input],
    queryFn: () => client.contextReport(id, input),
    retry: false,
  });

/** What stands for the beginning of a branch in its requests; asked for only where something does. */
export const summaryQuery = (id: string, { id: ref, summaries = [] }: BranchView) =>
  queryOptions({
    queryKey: ['project', id, 'summary', ref, summaries],
    queryFn: async () => (await client.summary(id, ref)).summary,
    enabled: summaries.length > 0,
  });

/** Where in a branch a page is; null: at its end. */
export type HistoryPlace =
  | { readonly before: string }
  | { readonly after: string }
  | { readonly around: string }
  | null;

/**
 * As many pages as are kept: who scrolls on loses those at the other end, which are read again when they come back.
 * Otherwise every page that was ever looked at would be read again with each change.
 */
const KEPT_PAGES = 8;

/**
 * The newest page first; each further page is the one before it. It begins at the end of the branch, or around a node;
 * pages are added at both ends. The branch is identified by its id: its name may change while it is read.
 */
export const historyQuery = (id: string, branchId: string, around: string | null = null) => {
  const place: HistoryPlace = around === null ? null : { around };
  return infiniteQueryOptions({
    queryKey: ['project', id, 'history', branchId] as const,
    queryFn: ({ pageParam }) => readHistory(id, branchId, pageParam),
    initialPageParam: place,
    getNextPageParam: (page: HistoryView): HistoryPlace | undefined =>
      page.hasMore && page.firstNodeId !== null ? { before: page.firstNodeId } : undefined,
    getPreviousPageParam: (page: HistoryView): HistoryPlace | undefined =>
      page.hasNewer && page.lastNodeId !== null ? { after: page.lastNodeId } : undefined,
    maxPages: KEPT_PAGES,
  });
};

/** Everything from the end back to wherever the reader stops asking: for comparing, which needs all of it. */
export const historyBackQuery = (id: string, branchId: string) =>
  infiniteQueryOptions({
    queryKey: ['project', id, 'history-back', branchId] as const,
    queryFn: ({ pageParam }) => readHistory(id, branchId, pageParam),
    initialPageParam: null as HistoryPlace,
    getNextPageParam: (page: HistoryView): HistoryPlace | undefined =>
      page.hasMore && page.firstNodeId !== null ? { before: page.firstNodeId } : undefined,
  });

async function readHistory(id: string, branchId: string, place: HistoryPlace): Promise<HistoryView> {
  const query = { ref: branchId, limit: PAGE_TURNS };
  try {
    return await client.history(id, { ...query, ...place });
  } catch (error) {
    // A link to a message that is gone, or that another branch has, still shows the conversation.
    const isElsewhere = place !== null && 'around' in place && error instanceof ApiError && error.status === 404;
    if (!isElsewhere) throw error;
    return client.history(id, query);
  }
}

/**
 * Shows another part of a branch in place of what was loaded of it. Not while the newest turns are read: a turn that
 * began and ended while the end was on its way would be joined to what is replaced, and never be shown.
 */
export async function openHistory(id: string, branchId: string, place: HistoryPlace): Promise<void> {
  const { queryKey } = historyQuery(id, branchId);
  await inTurn(branchKey(id, branchId), async () => {
    const before = queryClient.getQueryState(queryKey);
    const page = await readHistory(id, branchId, place);
    const after = queryClient.getQueryState(queryKey);
    // A page that is still on its way belongs to what is replaced.
    await queryClient.cancelQueries({ queryKey });
    queryClient.setQueryData(queryKey, { pages: [page], pageParams: [place] });
    // What was read again meanwhile had changed, perhaps after this page was read.
    const isOutdated = after?.fetchStatus === 'fetching' || after?.dataUpdateCount !== before?.dataUpdateCount;
    if (isOutdated) void queryClient.invalidateQueries({ queryKey });
  });
}

/** Anything in the project may have changed: reads what is on the screen again. */
export async function refreshProject(id: string): Promise<void> {
  const { queryKey } = projectBudgetsQuery(id);
  if ((queryClient.getQueryData(queryKey)?.budgets.length ?? 0) > 0) void queryClient.invalidateQueries({ queryKey });
  await readAgain(['project', id]);
}

/** The lists of projects show a project's name and where it belongs: they are read again if that changed. */
export async function refreshListed(id: string): Promise<void> {
  const current = queryClient.getQueryData(projectQuery(id).queryKey)?.project;
  const isOutdated = queryClient
    .getQueriesData<ProjectListView>({ queryKey: ['projects'] })
    .flatMap(([, list]) => list?.projects ?? [])
    .some((listed) => listed.id === id && SHOWN_OF_LISTED.some((field) => listed[field] !== current?.[field]));
  if (isOutdated) await readAgain(['projects']);
}

const SHOWN_OF_LISTED = ['name', 'archived', 'pinned', 'folder'] as const;

/** A project that is used comes first in its list: the lists are read again unless it already does. */
export async function refreshOrder(id: string): Promise<void> {
  const places = queryClient.getQueriesData<ProjectListView>({ queryKey: ['projects'] }).flatMap(([key, list]) => {
    const at = list?.projects.findIndex((listed) => listed.id === id) ?? -1;
    return at < 0 ? [] : [at + pageOf(key) * PAGE_PROJECTS];
  });
  const own = queryClient.getQueryData(projectQuery(id).queryKey)?.project;
  // In a folder that is closed there is nothing to see of it.
  const isPutAway = own?.folder != null && !own.pinned;
  const isOutdated = places.length === 0 ? !isPutAway : places.some((place) => place > 0);
  if (isOutdated) await readAgain(['projects']);
}

function pageOf([, of]: QueryKey): number {
  return typeof of === 'object' && of !== null && 'page' in of ? Number(of.page) : 0;
}

/**
 * Reads everything under this key again. Invalidating does not restart a first read that is in progress, and that read
 * may return the state before the change, so it is repeated afterwards. Otherwise a reply that ended while its branch
 * was being opened would never appear.
 */
export async function readAgain(queryKey: QueryKey, exact = false): Promise<void> {
  const underWay = queryClient.getQueryCache().findAll({ queryKey, exact, fetchStatus: 'fetching' });
  const first = underWay.filter(({ state }) => state.data === undefined);
  await queryClient.invalidateQueries({ queryKey, exact });
  await Promise.all(first.map((query) => queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true })));
}
