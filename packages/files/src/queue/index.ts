/** Runs jobs a few at a time, in order: what one of them may need at most is needed that many times, not more. */
export interface Queue {
  readonly run: <Result>(job: () => Promise<Result>) => Promise<Result>;
}

export function createQueue(atOnce: number): Queue {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    run: async (job) => {
      if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await job();
      } finally {
        // The place is handed over, not given back: a newcomer cannot slip in before those who wait.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
