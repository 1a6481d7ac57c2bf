import type { GraphView, HistoryView, QuestionView } from '@bough/api/client';
import type { InfiniteData, Query, QueryKey } from '@tanstack/react-query';
import { notifyManager } from '@tanstack/react-query';
import { movedBranches, nodesOf, withGrowth, withNewest } from '../view/merge-history.ts';
import { client } from './client.ts';
import { branchKey, oneAtATime } from './one-at-a-time.ts';
import { isUnreachable } from './connection.ts';
import { historyQuery, projectQuery, queryClient, readAgain, refreshListed, refreshProject } from './queries.ts';

/** Turns that may have changed since the branch was read: the one that runs, and the one that it follows. */
const NEWEST_TURNS = 2;

type Loaded = InfiniteData<HistoryView>;

/**
 * A turn began or ended on a branch, given by its name or id: reads what that adds, and nothing that was read before.
 * Everything that was loaded used to be read again with every message, a hundred pages of a long conversation too.
 * Throws while the server cannot be reached.
 */
export async function refreshTurn(id: string, ref: string, isBeginning = false): Promise<void> {
  const branch = queryClient
    .getQueryData(projectQuery(id).queryKey)
    ?.branches.find((each) => each.id === ref || each.name === ref);
  // The branch was made together with the turn: all that is known about the project is out of date.
  if (branch === undefined) return refreshProject(id);
  await oneAtATime(branchKey(id, branch.id), async () => {
    const readings = loadedOf(id, branch.id)?.state.dataUpdateCount;
    let fresh: HistoryView;
    try {
      fresh = await client.history(id, { ref: branch.id, limit: NEWEST_TURNS });
    } catch (error) {
      // Reading everything again reports what is wrong, where it is shown.
      await refreshProject(id);
      if (isUnreachable(error)) throw error;
      return;
    }
    const isFirst = branch.tipId === null;
    // Also where the branch was known to have grown: what else was read with that may be older than its reply.
    const answered = isBeginning ? null : (fresh.groups.at(-1)?.user?.id ?? null);
    // A reading that is under way would replace what is merged now.
    await settled(loadedOf(id, branch.id));
    // At once: a branch that has grown beside a tree and a history that have not would have both read again.
    const again = notifyManager.batch(() => {
      const outdated = growGraphs(id, fresh);
      const { queryKey } = projectQuery(id);
      // What is on its way was asked for before this: it would say that nothing runs here.
      const isOutdated = queryClient.isFetching({ queryKey, exact: true }) > 0;
      queryClient.setQueryData(queryKey, (project) =>
        project === undefined
          ? project
          : { ...project, branches: project.branches.map((each) => (each.id === branch.id ? fresh.branch : each)) },
      );
      return [...outdated, ...(isOutdated ? [queryKey] : []), ...mergeNewest(id, fresh, readings)];
    });
    await Promise.all([
      ...again.map((queryKey) => readAgain(queryKey, true)),
      queryClient.invalidateQueries({ queryKey: ['project', id, 'history-back', branch.id] }),
      // A first reading that is under way may have begun before this reply was stored.
      readAgain(['project', id, 'versions']),
      readQuestionsOn(id, branch.id),
      fresh.branch.tipId === branch.tipId && answered === null
        ? undefined
        : readPassing(id, new Set([branch.id]), new Set([branch.tipId, answered])),
      invalidateReports(id, 'none'),
      // A first message gives a project its name.
      isFirst ? readAgain(['project', id], true).then(() => refreshListed(id)) : undefined,
    ]);
  });
  // A reply that ended before its beginning was read is followed by its end: the reports are read then, once.
  if (isBeginning) return;
  const now = queryClient.getQueryData(projectQuery(id).queryKey)?.branches.find((each) => each.id === branch.id);
  if (now?.runningTurnId === null) await invalidateReports(id, 'active');
}

/** The answers beside the conversation, if one of them is made on this branch. */
async function readQuestionsOn(id: string, branchId: string): Promise<void> {
  const read = queryClient.getQueriesData<readonly QuestionView[]>({ queryKey: ['project', id, 'questions'] });
  const grown = read.filter(([, questions]) => questions?.some((each) => each.branchId === branchId) !== false);
  await Promise.all(grown.map(([queryKey]) => readAgain(queryKey, true)));
}

/** What the next request contains is another with every turn. */
async function invalidateReports(id: string, refetchType: 'active' | 'none'): Promise<void> {
  await Promise.all(
    ['context', 'context-report'].map((kind) =>
      queryClient.invalidateQueries({ queryKey: ['project', id, kind], refetchType }, { cancelRefetch: false }),
    ),
  );
}

async function settled(query: Query<Loaded> | undefined): Promise<void> {
  if (query?.state.fetchStatus !== 'fetching') return;
  await query.promise?.catch(() => undefined);
  await settled(query);
}

const loadedOf = (id: string, branchId: string): Query<Loaded> | undefined =>
  queryClient.getQueryCache().find<Loaded>({ queryKey: historyQuery(id, branchId).queryKey });

/** Adds what is new to the trees that are loaded; the keys of those that must be read again instead. */
function growGraphs(id: string, fresh: HistoryView): readonly QueryKey[] {
  const cache = queryClient.getQueryCache();
  const loaded = ['graph', 'outline'].flatMap((kind) => cache.findAll({ queryKey: ['project', id, kind] }));
  return loaded.flatMap(({ queryKey, state }) => {
    // What is being read may be older than this, or newer.
    const isSettled = state.fetchStatus === 'idle' && !state.isInvalidated && state.data !== undefined;
    const grown = isSettled ? withGrowth(state.data as GraphView, fresh) : null;
    if (grown === null) return [queryKey];
    queryClient.setQueryData(queryKey, grown);
    return [];
  });
}

/**
 * Adds the newest turns to what is loaded of their branch; its key, if that must be read again instead. `readings`: how
 * often the branch had been read when they were asked for.
 */
function mergeNewest(id: string, fresh: HistoryView, readings: number | undefined): readonly QueryKey[] {
  const { queryKey } = historyQuery(id, fresh.branch.id);
  const query = loadedOf(id, fresh.branch.id);
  // Whether what was read meanwhile is older or newer than this, nobody knows: it is read once more.
  if (query?.state.dataUpdateCount !== readings) return [queryKey];
  const loaded = query?.state.data;
  const [newest] = loaded?.pages ?? [];
  if (loaded === undefined || newest === undefined) return [];
  // The reader is elsewhere in a long conversation: its end is read when they go there.
  if (newest.hasNewer) return [];
  const merged = withNewest(newest, fresh);
  if (merged === null) return [queryKey];
  queryClient.setQueryData(queryKey, { ...loaded, pages: [merged, ...loaded.pages.slice(1)] });
  return [];
}

/** Turns began or ended that this page does not follow, and nothing else changed. */
export async function refreshTurns(id: string): Promise<void> {
  const before = queryClient.getQueryData(projectQuery(id).queryKey)?.branches;
  await readAgain(projectQuery(id).queryKey, true);
  const after = queryClient.getQueryData(projectQuery(id).queryKey)?.branches;
  const moved = before === undefined || after === undefined ? null : movedBranches(before, after);
  // Nothing to see: it may have happened between two readings.
  if (moved === null || moved.length === 0) return refreshProject(id);
  await Promise.all(moved.map((branch) => refreshTurn(id, branch.after.id)));
  const grown = new Set(moved.map((branch) => branch.after.id));
  await readPassing(id, grown, new Set(moved.map((branch) => branch.before.tipId)));
}

/** A branch that grew where another one passes has made a sibling there: reads the others again. */
async function readPassing(id: string, grown: ReadonlySet<string>, tips: ReadonlySet<string | null>): Promise<void> {
  const passing = queryClient
    .getQueryCache()
    .findAll({ queryKey: ['project', id, 'history'] })
    .filter(({ queryKey, state }) => !grown.has(String(queryKey[3])) && passes(state.data as Loaded | undefined, tips));
  await Promise.all(passing.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })));
}

function passes(loaded: Loaded | undefined, nodes: ReadonlySet<string | null>): boolean {
  return (loaded?.pages ?? []).some((page) =>
    page.groups.some((group) => nodesOf(group).some((node) => nodes.has(node.id))),
  );
}
