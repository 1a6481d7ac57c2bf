import type { Clock } from '../clock.ts';

export type Phase = 'connect' | 'first byte' | 'silence';

export type GuardCause =
  | { readonly type: 'aborted' }
  | { readonly type: 'timeout'; readonly phase: Phase; readonly ms: number };

/** Ends one attempt: when the user aborts, or when the limit of the running phase is over. */
export interface Guard {
  readonly signal: AbortSignal;
  /** Why the attempt was ended, or null while it was not. */
  readonly cause: () => GuardCause | null;
  /** Starts the limit of a phase, in place of the one that ran. */
  readonly arm: (phase: Phase, ms: number) => void;
  readonly disarm: () => void;
  /** Ends the attempt because nobody wants it any more. */
  readonly abandon: () => void;
  /** Leaves no timer and no listener behind. */
  readonly release: () => void;
}

export function createGuard(user: AbortSignal, clock: Clock): Guard {
  const controller = new AbortController();
  let cause: GuardCause | null = null;
  let cancelTimer: (() => void) | null = null;

  const disarm = (): void => {
    cancelTimer?.();
    cancelTimer = null;
  };
  const end = (why: GuardCause): void => {
    disarm();
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
      disarm();
      if (cause === null) cancelTimer = clock.after(ms, () => end({ type: 'timeout', phase, ms }));
    },
    disarm,
    abandon: onUserAbort,
    release: () => {
      disarm();
      user.removeEventListener('abort', onUserAbort);
    },
  };
}
