import type { ContextInput, ContextReportInput, GraphView, HistoryView, ProjectListView } from '@bough/api/client';
import { ApiError } from '@bough/api/client';
import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import { withNewNodes } from '../view/merge-history.ts';
import { client } from './client.ts';
import { excerptOf } from '../view/excerpt.ts';

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
}

/** A page of the projects, newest first. They are never all read: there may be ten thousand. */
export const projectsQuery = ({ search, archived }: ProjectSearch = { search: '', archived: false }, page = 0) =>
  queryOptions({
    queryKey: ['projects', { search, archived, page }],
    queryFn: () => client.listProjects({ search, archived, limit: PAGE_PROJECTS, offset: page * PAGE_PROJECTS }),
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
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: () => client.session(), staleTime: 60_000 });
export const toolsQuery = queryOptions({ queryKey: ['tools'], queryFn: () => client.listTools(), staleTime: 60_000 });
export const diagnosticsQuery = queryOptions({ queryKey: ['diagnostics'], queryFn: () => client.diagnostics() });
export const graphQuery = (id: string) =>
  queryOptions({ queryKey: ['project', id, 'graph'] as const, queryFn: () => readGraph(id) });

/** Only what is new, if the tree was read before: ten thousand nodes are megabytes. */
async function readGraph(id: string): Promise<GraphView> {
  const known = queryClient.getQueryData<GraphView>(['project', id, 'graph']);
  const last = known?.nodes.at(-1);
  if (known === undefined || last === undefined) return client.graph(id);
  return withNewNodes(known, await client.graph(id, { after: last.id, count: known.nodes.length }));
}
export const nodeQuery = (id: string, nodeId: string) =>
  queryOptions({ queryKey: ['project', id, 'node', nodeId], queryFn: () => client.getNode(nodeId), staleTime: 60_000 });
/** The first words of a message. They never change, so a change to the project does not make them stale. */
export const labelQuery = (nodeId: string) =>
  queryOptions({
    queryKey: ['label', nodeId],
    queryFn: async () => [nodeId, excerptOf((await client.getNode(nodeId)).node.content)] as const,
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

/** Shows another part of a branch in place of what was loaded of it. */
export async function openHistory(id: string, branchId: string, place: HistoryPlace): Promise<void> {
  const { queryKey } = historyQuery(id, branchId);
  const page = await readHistory(id, branchId, place);
  // A page that is still on its way belongs to what is replaced.
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, { pages: [page], pageParams: [place] });
}

/** Anything in the project may have changed: reads what is on the screen again. */
export async function refreshProject(id: string): Promise<void> {
  await readAgain(['project', id]);
}

/** The lists of projects show a project's name and whether it is archived: they are read again if that changed. */
export async function refreshListed(id: string): Promise<void> {
  const current = queryClient.getQueryData(projectQuery(id).queryKey)?.project;
  const isOutdated = queryClient
    .getQueriesData<ProjectListView>({ queryKey: ['projects'] })
    .flatMap(([, list]) => list?.projects ?? [])
    .some((listed) => listed.id === id && (listed.name !== current?.name || listed.archived !== current.archived));
  if (isOutdated) await readAgain(['projects']);
}

/**
 * Reads everything under this key again. Invalidating does not restart a first read that is in progress, and that read
 * may return the state before the change, so it is repeated afterwards. Otherwise a reply that ended while its branch
 * was being opened would never appear.
 */
export async function readAgain(queryKey: readonly string[], exact = false): Promise<void> {
  const underWay = queryClient.getQueryCache().findAll({ queryKey, exact, fetchStatus: 'fetching' });
  const first = underWay.filter(({ state }) => state.data === undefined);
  await queryClient.invalidateQueries({ queryKey, exact });
  await Promise.all(first.map((query) => queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true })));
}
