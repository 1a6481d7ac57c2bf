/** The requests that are under way, so that a server can end them before it ends itself. */
export interface Running {
  /** Null if no more are taken. */
  readonly begin: (client: AbortSignal) => RunningCall | null;
  readonly count: () => number;
  readonly stop: (graceMs: number) => Promise<void>;
}

export interface RunningCall {
  /** Aborts when the client leaves, when somebody interrupts, or when the server ends. */
  readonly signal: AbortSignal;
  readonly why: () => 'left' | 'stopped' | null;
  /** Another signal that stops it. */
  readonly follow: (signal: AbortSignal) => void;
  /** It is over. Later calls do nothing. */
  readonly end: () => void;
}

/** Between two looks at whether everything has ended. */
const POLL_MS = 20;
/** How long clients are given to take the end of a stopped reply. */
const LAST_WORDS_MS = 1_000;

export function createRunning(): Running {
  const calls = new Map<RunningCall, () => void>();
  let isOpen = true;
  const emptyWithin = async (ms: number): Promise<void> => {
    const until = performance.now() + ms;
    while (calls.size > 0 && performance.now() < until)
      await new Promise((resolve) => {
        setTimeout(resolve, POLL_MS);
      });
  };
  return {
    begin: (client) => {
      if (!isOpen) return null;
      const controller = new AbortController();
      let why: 'left' | 'stopped' | null = null;
      const stopFor = (reason: 'left' | 'stopped') => (): void => {
        why ??= reason;
        controller.abort();
      };
      const followed: (readonly [AbortSignal, () => void])[] = [];
      const follow = (signal: AbortSignal, stop: () => void): void => {
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        followed.push([signal, stop]);
      };
      follow(client, stopFor('left'));
      const call: RunningCall = {
        signal: controller.signal,
        why: () => why,
        follow: (signal) => follow(signal, stopFor('stopped')),
        end: () => {
          for (const [signal, stop] of followed.splice(0)) signal.removeEventListener('abort', stop);
          calls.delete(call);
        },
      };
      calls.set(call, stopFor('stopped'));
      return call;
    },
    count: () => calls.size,
    stop: async (graceMs) => {
      isOpen = false;
      await emptyWithin(graceMs);
      for (const stop of calls.values()) stop();
      await emptyWithin(LAST_WORDS_MS);
    },
  };
}
