import type { TurnNews } from '@bough/api/client';
import { ApiError } from '@bough/api/client';
import { useEffect, useSyncExternalStore } from 'react';
import type { NewsByBranch, OpenTurns } from '../view/news.ts';
import { endedUnheard, readNews, readOpenTurns, withHeard, withOpen, without, withTurn } from '../view/news.ts';
import { client } from './client.ts';
import { announce } from './notify.ts';
import { readStored, writeStored } from './stored.ts';

// What happened on branches that nobody was looking at. Kept in this browser, so that a reload does not forget a reply
// that finished; what still waits for an answer is told by the server whenever the page connects.
const KEY = 'bough.news';
let news: NewsByBranch = readNews(readStored(KEY));
const listeners = new Set<() => void>();

// What was under way when this browser last heard of it. A turn may end while the machine sleeps or the page is closed:
// then nobody tells, and it is only missing from the list of open turns.
const OPEN_KEY = 'bough.open-turns';
let open: OpenTurns = readOpenTurns(readStored(OPEN_KEY));

function setOpen(next: OpenTurns): void {
  open = next;
  writeStored(OPEN_KEY, open.size === 0 ? null : JSON.stringify([...open.values()]));
}

/** The branches that are on the screen, one or several side by side, each as often as it is there. */
const shown: string[] = [];

/** Another tab may show what this one does not: whoever saw it tells the others. */
const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('bough.news');
const seenElsewhere = new Set<string>();
const MOST_SEEN = 200;

function set(next: NewsByBranch): void {
  if (next === news) return;
  news = next;
  writeStored(KEY, news.size === 0 ? null : JSON.stringify([...news.values()]));
  for (const listener of listeners) listener();
}

interface Seen {
  readonly branchId: string;
  readonly turnId?: string;
}

const isSeen = (value: unknown): value is Seen =>
  typeof value === 'object' && value !== null && 'branchId' in value && typeof value.branchId === 'string';

tabs?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (!isSeen(data)) return;
  if (data.turnId !== undefined) {
    // The other tab may have heard of it first.
    if (seenElsewhere.size >= MOST_SEEN) seenElsewhere.clear();
    seenElsewhere.add(data.turnId);
  }
  set(without(news, ({ branchId }) => branchId === data.branchId));
});

// eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origins
const tellTabs = (seen: Seen): void => tabs?.postMessage(seen);

const isLookedAt = (branchId: string): boolean => shown.includes(branchId) && document.visibilityState === 'visible';

export function hearTurn(turn: TurnNews): void {
  setOpen(withHeard(open, turn));
  const looked = isLookedAt(turn.branchId);
  if (looked) tellTabs({ branchId: turn.branchId, turnId: turn.turnId });
  const next = withTurn(news, turn, looked || seenElsewhere.has(turn.turnId));
  const told = next.get(turn.branchId);
  set(next);
  if (told !== undefined) announce(told);
}

export function hearOpen(turns: readonly TurnNews[]): void {
  const ended = endedUnheard(open, turns);
  setOpen(new Map(turns.map((turn) => [turn.turnId, turn])));
  set(withOpen(news, turns, isLookedAt));
  void forgetDeleted();
  for (const turn of ended) void hearEnd(turn);
}

/** How a turn ended that nobody told of; what came after it on its branch counts more. */
async function hearEnd(turn: TurnNews): Promise<void> {
  try {
    const { groups } = await client.history(turn.projectId, { ref: turn.branchId, limit: 1 });
    const last = groups.at(-1);
    if (last?.turnId === turn.turnId) hearTurn({ ...turn, status: last.status });
  } catch (error) {
    // Its project or branch is gone, or the server is away again: then there is nothing to visit.
    console.debug('How a reply ended could not be read.', error);
  }
}

/** A project or branch that was deleted elsewhere cannot be visited: its news would stay in the title for ever. */
async function forgetDeleted(): Promise<void> {
  for (const projectId of new Set([...news.values()].map((each) => each.projectId))) {
    try {
      const { branches } = await client.getProject(projectId);
      const there = new Set<string>(branches.map(({ id }) => id));
      set(without(news, (each) => each.projectId === projectId && !there.has(each.branchId)));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) forgetProject(projectId);
    }
  }
}

export function forgetProject(projectId: string): void {
  set(without(news, (each) => each.projectId === projectId));
}

/** The branches are on the screen: what is known of them is old as soon as somebody looks. */
export function useVisit(branchIds: readonly string[]): void {
  const key = branchIds.join(' ');
  useEffect(() => {
    const ids = key === '' ? [] : key.split(' ');
    shown.push(...ids);
    const look = (): void => {
      const seen = ids.filter(isLookedAt);
      for (const branchId of seen) if (news.has(branchId)) tellTabs({ branchId });
      set(without(news, (each) => seen.includes(each.branchId)));
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      for (const id of ids) shown.splice(shown.indexOf(id), 1);
    };
  }, [key]);
}

export function useNews(): NewsByBranch {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => news,
  );
}
