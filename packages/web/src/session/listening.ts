import type { WatchLine } from '@bough/api/client';

// Which tabs listen to the server. A browser has six connections to one server for all of its tabs together, and
// listening takes one of them all the time: with seven tabs open, nothing would be loaded any more in any of them. So
// only those listen that somebody looks at, and one for all the others, which passes on what it hears of turns.

/** Who looks away for a moment is soon back. */
const LOOKED_AWAY_MS = 5_000;
const NAME = 'bough.watch';

/** Nobody has looked at this tab for a while. */
let isOutOfSight = false;
/** This tab is the one that always listens. */
let isForAll = false;
let hasStarted = false;
const listeners = new Set<() => void>();
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(NAME);

export const isListening = (): boolean => isForAll || !isOutOfSight;

export function onListening(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `hear` gets what another tab passes on while this one does not listen itself. */
export function startListening(hear: (line: WatchLine) => void): void {
  if (hasStarted) return;
  hasStarted = true;
  isOutOfSight = document.visibilityState === 'hidden';
  let timer: number | undefined;
  document.addEventListener('visibilitychange', () => {
    window.clearTimeout(timer);
    if (document.visibilityState === 'visible') set(() => (isOutOfSight = false));
    else timer = window.setTimeout(() => set(() => (isOutOfSight = true)), LOOKED_AWAY_MS);
  });
  channel?.addEventListener('message', ({ data }: MessageEvent<WatchLine>) => {
    if (!isListening()) hear(data);
  });
  void listenForAll();
}

/** Waits until no other tab listens for all; whoever has the lock keeps it until the tab is closed. */
async function listenForAll(): Promise<void> {
  const begin = (): void => set(() => (isForAll = true));
  // Pages that are served over plain HTTP have no locks: there every tab listens.
  if (!('locks' in navigator)) return begin();
  try {
    await navigator.locks.request(NAME, async () => {
      begin();
      await new Promise(() => undefined);
    });
  } catch (error) {
    // A browser that stores nothing may have none, either.
    if (!(error instanceof DOMException)) throw error;
    begin();
  }
}

export function passOn(line: WatchLine): void {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origins
  if (isForAll && (line.type === 'open' || line.type === 'turn')) channel?.postMessage(line);
}

function set(change: () => void): void {
  change();
  for (const listener of listeners) listener();
}
