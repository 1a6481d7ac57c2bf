import type { HistoryView } from '@bough/api/client';
import type { InfiniteData, Query } from '@tanstack/react-query';
import { movedBranches, nodesOf, withNewest } from '../view/merge-history.ts';
import { client } from './client.ts';
import {
  graphQuery,
  historyQuery,
  projectQuery,
  queryClient,
  readAgain,
  refreshListed,
  refreshProject,
} from './queries.ts';

/** Turns that may have changed since the branch was read: the one that runs, and the one that it follows. */
const NEWEST_TURNS = 2;

type Loaded = InfiniteData<HistoryView>;

const waiting = new Map<string, Promise<void>>();
const running = new Map<string, Promise<void>>();

/**
 * Does work for a key, never twice at once: a call during the work is answered by one that begins after it, which all
 * calls of that time share. Two readings at once could arrive in the wrong order and leave the older on the screen.
 */
function oneAtATime(key: string, work: () => Promise<void>): Promise<void> {
  const already = waiting.get(key);
  if (already !== undefined) return already;
  const before = running.get(key);
  const begun = (async () => {
    await before?.catch(() => undefined);
    waiting.delete(key);
    await work();
  })();
  if (before !== undefined) waiting.set(key, begun);
  running.set(key, begun);
  void begun
    .catch(() => undefined)
    .finally(() => {
      if (running.get(key) === begun) running.delete(key);
    });
  return begun;
}

/**
 * A turn began or ended on a branch, given by its name or id: reads what that adds, and nothing that was read before.
 * Everything that was loaded used to be read again with every message, a hundred pages of a long conversation too.
 */
export async function refreshTurn(id: string, ref: string): Promise<void> {
  const branch = queryClient
    .getQueryData(projectQuery(id).queryKey)
    ?.branches.find((each) => each.id === ref || each.name === ref);
  // The branch was made together with the turn: all that is known about the project is out of date.
  if (branch === undefined) return refreshProject(id);
  return oneAtATime(`${id} ${branch.id}`, async () => {
    let fresh: HistoryView;
    try {
      fresh = await client.history(id, { ref: branch.id, limit: NEWEST_TURNS });
    } catch {
      // Reading everything again reports what is wrong, where it is shown.
      return refreshProject(id);
    }
    const isFirst = branch.tipId === null;
    queryClient.setQueryData(projectQuery(id).queryKey, (project) =>
      project === undefined
        ? project
        : { ...project, branches: project.branches.map((each) => (each.id === branch.id ? fresh.branch : each)) },
    );
    await Promise.all([
      mergeNewest(id, fresh),
      queryClient.invalidateQueries({ queryKey: graphQuery(id).queryKey }),
      queryClient.invalidateQueries({ queryKey: ['project', id, 'history-back', branch.id] }),
      ...['context', 'context-report'].map((kind) =>
        queryClient.invalidateQueries(
          { queryKey: ['project', id, kind], refetchType: fresh.branch.runningTurnId === null ? 'active' : 'none' },
          { cancelRefetch: false },
        ),
      ),
      // A first message gives a project its name.
      isFirst ? readAgain(['project', id], true).then(() => refreshListed(id)) : undefined,
    ]);
  });
}

async function settled(query: Query<Loaded> | undefined): Promise<void> {
  if (query?.state.fetchStatus !== 'fetching') return;
  await query.promise?.catch(() => undefined);
  await settled(query);
}

async function mergeNewest(id: string, fresh: HistoryView): Promise<void> {
  const { queryKey } = historyQuery(id, fresh.branch.id);
  const query = queryClient.getQueryCache().find<Loaded>({ queryKey });
  // A reading that is under way began before this one, and would replace what is merged now.
  await settled(query);
  const loaded = query?.state.data;
  const [newest] = loaded?.pages ?? [];
  if (loaded === undefined || newest === undefined) return;
  // The reader is elsewhere in a long conversation: its end is read when they go there.
  if (newest.hasNewer) return;
  const merged = withNewest(newest, fresh);
  if (merged === null) await queryClient.invalidateQueries({ queryKey });
  else queryClient.setQueryData(queryKey, { ...loaded, pages: [merged, ...loaded.pages.slice(1)] });
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
  // A branch that grew where another one passes has made a sibling there.
  const tips = new Set(moved.flatMap((branch) => branch.before.tipId ?? []));
  const grown = new Set<string>(moved.map((branch) => branch.after.id));
  const passing = queryClient
    .getQueryCache()
    .findAll({ queryKey: ['project', id, 'history'] })
    .filter(({ queryKey, state }) => !grown.has(String(queryKey[3])) && passes(state.data as Loaded | undefined, tips));
  await Promise.all(passing.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })));
}

function passes(loaded: Loaded | undefined, nodes: ReadonlySet<string>): boolean {
  return (loaded?.pages ?? []).some((page) =>
    page.groups.some((group) => nodesOf(group).some((node) => nodes.has(node.id))),
  );
}

/** The line of a project's watch. */
export interface ChangeLine {
  readonly type: string;
  readonly turnIds?: readonly string[];
}
