import { useSyncExternalStore } from 'react';
import type { LiveTurn } from '../view/live-turn.ts';
import { liveTurns } from './live.ts';

/** The running turn, or null once it has ended and the history has it. */
export function useLiveTurn(turnId: string | null): LiveTurn | null {
  return useSyncExternalStore(
    (listener) => (turnId === null ? () => undefined : liveTurns.subscribe(turnId, listener)),
    () => (turnId === null ? null : liveTurns.get(turnId)),
  );
}
