import type { Store, StoreSignal } from '../store.ts';

/** Signals within this process: the lock keeps every other process out. */
export function createSignals(): Pick<Store, 'publish' | 'subscribe'> {
  const listeners = new Set<(signal: StoreSignal) => void>();
  return {
    publish: async (signal) => {
      for (const listener of Array.from(listeners)) {
        try {
          listener(signal);
        } catch (error) {
          // A listener's error is not the publisher's, and must not keep the signal from the others.
          process.emitWarning(error instanceof Error ? error : String(error));
        }
      }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
