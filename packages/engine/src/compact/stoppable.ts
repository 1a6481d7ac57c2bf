/** Work that ends when the engine does. */
export interface Stoppable {
  readonly run: <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;
  /** Aborts what is under way, and waits until it has stored what it stores. */
  readonly stop: () => Promise<void>;
}

export function createStoppable(): Stoppable {
  const abort = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  return {
    run: async (work) => {
      const running = work(abort.signal);
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
