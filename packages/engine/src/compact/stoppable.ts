/** Work that ends when the engine does. */
export interface Stoppable {
  /** `cancelled` ends this work alone. */
  readonly run: <Result>(work: (signal: AbortSignal) => Promise<Result>, cancelled?: AbortSignal) => Promise<Result>;
  /** Aborts what is under way, and waits until it has stored what it stores. */
  readonly stop: () => Promise<void>;
}

export function createStoppable(): Stoppable {
  const abort = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  return {
    run: async (work, cancelled) => {
      const running = work(cancelled === undefined ? abort.signal : AbortSignal.any([abort.signal, cancelled]));
      underWay.add(running);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },
    stop: async () => {
      abort.abort();
      await Promise.allSettled(underWay);
    },
  };
}
