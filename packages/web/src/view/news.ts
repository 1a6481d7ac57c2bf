import type { TurnNews } from '@bough/api/client';

/** What happened where nobody was looking, and has not been looked at since. */
export interface News extends Omit<TurnNews, 'status'> {
  readonly kind: NewsKind;
}

export type NewsKind = 'waiting' | 'failed' | 'finished';

/** By branch: what happened last is what counts. */
export type NewsByBranch = ReadonlyMap<string, News>;

/** What a turn is to somebody who is elsewhere; null: nothing. One that was stopped was stopped by somebody. */
const KIND: Readonly<Record<TurnNews['status'], NewsKind | null>> = {
  running: null,
  awaiting_approval: 'waiting',
  complete: 'finished',
  error: 'failed',
  interrupted: null,
};

/** After a line about a turn. A turn that runs again has been answered, or asked anew: what was known is old. */
export function withTurn(before: NewsByBranch, { status, ...turn }: TurnNews, isLookedAt: boolean): NewsByBranch {
  const kind = KIND[status];
  if (kind === null || isLookedAt) return without(before, (news) => news.branchId === turn.branchId);
  return new Map(before).set(turn.branchId, { ...turn, kind });
}

/** After the list of all open turns: what waits is exactly what it says, also what nobody has told before. */
export function withOpen(
  before: NewsByBranch,
  open: readonly TurnNews[],
  isLookedAt: (branchId: string) => boolean,
): NewsByBranch {
  const still = without(
    before,
    ({ kind, branchId }) => kind === 'waiting' || open.some((turn) => turn.branchId === branchId),
  );
  const waiting = open.filter(({ status }) => status === 'awaiting_approval');
  return waiting.reduce((news, turn) => withTurn(news, turn, isLookedAt(turn.branchId)), still);
}

/** The turns that are not closed, by id, as far as this browser has heard. */
export type OpenTurns = ReadonlyMap<string, TurnNews>;

const isOpen = ({ status }: TurnNews): boolean => status === 'running' || status === 'awaiting_approval';

export function withHeard(before: OpenTurns, turn: TurnNews): OpenTurns {
  const next = new Map(before);
  if (isOpen(turn)) next.set(turn.turnId, turn);
  else next.delete(turn.turnId);
  return next;
}

/** Turns that were open when this browser last heard of them, and are not in the list of all open ones. */
export function endedUnheard(before: OpenTurns, open: readonly TurnNews[]): readonly TurnNews[] {
  const still = new Set(open.map(({ turnId }) => turnId));
  return [...before.values()].filter(({ turnId }) => !still.has(turnId));
}

/** The same map if there is nothing to take out, so that nothing is drawn again. */
export function without(before: NewsByBranch, isOld: (news: News) => boolean): NewsByBranch {
  const kept = [...before].filter(([, news]) => !isOld(news));
  return kept.length === before.size ? before : new Map(kept);
}

const URGENCY: readonly NewsKind[] = ['waiting', 'failed', 'finished'];

/** The most urgent of several; null if there are none. */
export function mostUrgent(news: Iterable<News>): NewsKind | null {
  const kinds = new Set([...news].map(({ kind }) => kind));
  return URGENCY.find((kind) => kinds.has(kind)) ?? null;
}

/** What was stored by this page or by another version of it. */
export function readNews(text: string | null): NewsByBranch {
  return new Map(listIn(text).flatMap((stored) => (isNews(stored) ? [[stored.branchId, stored]] : [])));
}

export function readOpenTurns(text: string | null): OpenTurns {
  return new Map(listIn(text).flatMap((stored) => (isOpenTurn(stored) ? [[stored.turnId, stored]] : [])));
}

function listIn(text: string | null): readonly unknown[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

const NAMES = ['projectId', 'projectName', 'branchId', 'branch', 'turnId'];

function namesTurn(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return NAMES.every((name) => typeof fields[name] === 'string');
}

function isNews(value: unknown): value is News {
  return namesTurn(value) && URGENCY.some((kind) => kind === value['kind']);
}

function isOpenTurn(value: unknown): value is TurnNews {
  return namesTurn(value) && (value['status'] === 'running' || value['status'] === 'awaiting_approval');
}
