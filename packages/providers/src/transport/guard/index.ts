import type { Clock } from '../clock.ts';

export type Phase = 'connect' | 'first byte' | 'silence';

export type GuardCause =
  | { readonly type: 'aborted' }
  | { readonly type: 'timeout'; readonly phase: Phase; readonly ms: number };

/** Ends one attempt: when the user aborts, or when the limit of the current phase expires. */
export interface Guard {
  readonly signal: AbortSignal;
  /** Why the attempt was ended, or null if it was not. */
  readonly cause: () => GuardCause | null;
  /** Starts the limit of a phase, replacing the current one. */
  readonly arm: (phase: Phase, ms: number) => void;
  readonly disarm: () => void;
  /** Ends the attempt because nobody wants it anymore. */
  readonly abandon: () => void;
  /** Leaves no timer and no listener behind. */
  readonly release: () => void;
}

/**
 * Limits are set and lifted with every piece of a reply and hardly ever reached: one timer keeps running, and checks
 * the current limit only when it fires.
 */
export function createGuard(user: AbortSignal, clock: Clock): Guard {
  const controller = new AbortController();
  let cause: GuardCause | null = null;
  let limit: { readonly phase: Phase; readonly ms: number; readonly at: number } | null = null;
  let timer: { readonly at: number; readonly cancel: () => void } | null = null;

  const stopTimer = (): void => {
    timer?.cancel();
    timer = null;
  };
  const startTimer = (at: number): void => {
    stopTimer();
    timer = { at, cancel: clock.after(Math.max(0, at - clock.now()), onTimer) };
  };
  const onTimer = (): void => {
    timer = null;
    if (limit === null) return;
    const { phase, ms, at } = limit;
    if (clock.now() >= at) end({ type: 'timeout', phase, ms });
    else startTimer(at);
  };
  const disarm = (): void => {
    limit = null;
  };
  const end = (why: GuardCause): void => {
    disarm();
    stopTimer();
    if (cause !== null) return;
    cause = why;
    controller.abort();
  };
  const onUserAbort = (): void => end({ type: 'aborted' });
  if (user.aborted) onUserAbort();
  else user.addEventListener('abort', onUserAbort, { once: true });

  return {
    signal: controller.signal,
    cause: () => cause,
    arm: (phase, ms) => {
      if (cause !== null) return;
      const at = clock.now() + ms;
      limit = { phase, ms, at };
      if (timer === null || timer.at > at) startTimer(at);
    },
    disarm,
    abandon: onUserAbort,
    release: () => {
      disarm();
      stopTimer();
      user.removeEventListener('abort', onUserAbort);
    },
  };
}
