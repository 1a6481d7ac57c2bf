/** Time as a parameter: tests and replays supply their own. */
export interface Clock {
  readonly now: () => number;
  /** Runs once after this many milliseconds, unless the returned function is called first. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
