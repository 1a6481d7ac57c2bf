import type { ProjectId, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Environment } from '../environment.ts';
import type { TurnRunner } from '../turn/runner.ts';
import type { Round } from './round.ts';
import { listRounds } from './round.ts';
import { claimRound, workOn } from './work.ts';

/** How often a server looks for rounds that nobody works on. */
const LOOK_MS = 2_000;

export type WhichRounds = 'all' | 'own';

/** Asks the questions of running rounds, beside everything else. */
export interface Rounds {
  /** `all`: rounds that nobody works on are taken up; `own`: only those that were begun or steered here. */
  readonly start: (which: WhichRounds) => void;
  /** Looks now: this round began, or goes on. */
  readonly look: (id: string) => void;
  /** Something happened in a project. */
  readonly wake: (project: ProjectId) => void;
  /** Resolves when nothing more is asked and everything is written down. */
  readonly stop: () => Promise<void>;
}

interface Loop {
  readonly projectId: ProjectId;
  readonly done: Promise<void>;
  wake: () => void;
}

export function createRounds(
  env: Environment,
  runner: TurnRunner,
  stopTurn: (project: ProjectId, turn: TurnId) => Promise<void>,
): Rounds {
  const abort = new AbortController();
  const loops = new Map<string, Loop>();
  const own = new Set<string>();
  let which: WhichRounds = 'all';
  let timer: ReturnType<typeof setInterval> | null = null;
  let unsubscribe: () => void = () => undefined;
  let looking: Promise<void> = Promise.resolve();

  const problem = (error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    env.observe({ type: 'problem', what: 'a round', message });
  };

  const begin = (round: Round): void => {
    const loop: Loop = {
      projectId: round.projectId,
      wake: () => undefined,
      done: lead(round.id, (milliseconds) => {
        let timeout: ReturnType<typeof setTimeout> | undefined;
        return new Promise<void>((resolve) => {
          loop.wake = resolve;
          timeout = setTimeout(resolve, milliseconds);
          if (abort.signal.aborted) resolve();
        }).finally(() => clearTimeout(timeout));
      })
        .catch((error: unknown) => {
          // Deleted while it was worked on. Anything else is tried again at the next look.
          if (!(error instanceof UnknownIdError)) problem(error);
        })
        .finally(() => loops.delete(round.id)),
    };
    loops.set(round.id, loop);
  };

  const lead = async (id: string, wait: (milliseconds: number) => Promise<void>): Promise<void> => {
    // Not before its loop is known: what it does may wake it.
    await Promise.resolve();
    const claimed = await claimRound(env, id);
    if (claimed === null) return;
    const stop = async (round: Round, turn: TurnId): Promise<void> => stopTurn(round.projectId, turn);
    await workOn({ env, runner, stopTurn: stop, signal: abort.signal, wait }, claimed);
  };

  const look = async (): Promise<void> => {
    if (abort.signal.aborted) return;
    const now = env.now().getTime();
    for (const round of await listRounds(env)) {
      // A round that stands still, but was not settled, has answers whose end nobody has written down.
      const isUnsettled = round.state === 'running' || round.owner !== null;
      const isFree = round.owner === null || round.owner.id === env.owner || round.owner.until <= now;
      const isWanted = which === 'all' || own.has(round.id);
      if (isWanted && isUnsettled && isFree && !loops.has(round.id)) begin(round);
    }
  };
  const lookAfter = (): void => {
    looking = looking.then(look).catch(problem);
  };
  const wake = (project: ProjectId): void => {
    for (const loop of loops.values()) if (loop.projectId === project) loop.wake();
  };

  return {
    start: (wanted) => {
      which = wanted;
      unsubscribe = env.store.subscribe((signal) => {
        if (signal.type === 'changed') wake(signal.projectId);
      });
      lookAfter();
      timer = setInterval(lookAfter, LOOK_MS);
    },
    look: (id) => {
      own.add(id);
      lookAfter();
    },
    wake,
    stop: async () => {
      if (timer !== null) clearInterval(timer);
      abort.abort();
      unsubscribe();
      await looking;
      for (const loop of loops.values()) loop.wake();
      await Promise.all([...loops.values()].map(({ done }) => done));
    },
  };
}
