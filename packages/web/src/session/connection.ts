import { ApiError } from '@bough/api/client';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { client } from './client.ts';
import { queryClient } from './queries.ts';

const FIRST_LOOK_MS = 1_000;
const SLOWEST_LOOK_MS = 10_000;

/** Nobody answered, or something in between that is not this server. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 502 || error.status === 504);
}

const isLost = ({ state }: { readonly state: { readonly error: unknown; readonly fetchFailureReason: unknown } }) =>
  isUnreachable(state.error) || isUnreachable(state.fetchFailureReason);

function lostQueries() {
  return queryClient.getQueryCache().findAll({ type: 'active', predicate: isLost });
}

/** Not what is being read at the moment: beginning again and again, it would never end, neither well nor badly. */
async function readLost(): Promise<void> {
  const idle = lostQueries().filter(({ state }) => state.fetchStatus === 'idle');
  await Promise.all(idle.map(({ queryKey }) => queryClient.refetchQueries({ queryKey, exact: true })));
}

/** A page on which nobody does anything reads nothing: that the server is away shows in its watch alone. */
let isWatchLost = false;
const listeners = new Set<() => void>();

/** Hears whether what follows the server could be taken up again. */
export function hearWatch(error: unknown): void {
  const isNowLost = isUnreachable(error);
  if (isNowLost === isWatchLost) return;
  isWatchLost = isNowLost;
  for (const listener of listeners) listener();
}

/** Whether the server cannot be reached: something could not be read, or what happens there is not heard. */
export function useUnreachable(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const forget = queryClient.getQueryCache().subscribe(listener);
      listeners.add(listener);
      return () => {
        forget();
        listeners.delete(listener);
      };
    },
    () => isWatchLost || lostQueries().length > 0,
  );
}

/**
 * While the server cannot be reached, asks for it from time to time, and reads what could not be read as soon as it is
 * back: nobody should have to reload the page because a server was restarted. Returns what looks for it at once.
 */
export function useReturn(): () => void {
  const isAway = useUnreachable();
  const lookNow = useRef(() => undefined as void);
  useEffect(() => {
    if (!isAway) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const look = async (pause: number): Promise<void> => {
      const isBack = await client.health().then(
        () => true,
        (error: unknown) => !isUnreachable(error),
      );
      if (isBack) {
        hearWatch(null);
        await readLost();
      }
      plan(Math.min(pause * 2, SLOWEST_LOOK_MS));
    };
    const plan = (pause: number): void => {
      timer = setTimeout(() => void look(pause), pause);
    };
    // A network that is back says so, and so does a tab that is looked at again.
    const now = (): void => {
      clearTimeout(timer);
      void look(FIRST_LOOK_MS);
    };
    lookNow.current = now;
    plan(FIRST_LOOK_MS);
    window.addEventListener('online', now);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', now);
    };
  }, [isAway]);
  return () => lookNow.current();
}
