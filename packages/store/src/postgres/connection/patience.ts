import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './pool.ts';
import { isConnectionLoss, isLostRace } from './trouble.ts';

const RETRY_MS = 20;
const RACES = 20;
/** Without a pause, transactions that collided would collide again at once. */
const RACE_PAUSE_MS = 40;

/** Whether to repeat work that failed; resolves when it is time to. */
export type Again = (error: unknown) => Promise<boolean>;

/**
 * A lost connection is not the work's fault: it is repeated for as long as a restarting server is waited for, however
 * many connections die in that time. A lost race is repeated a limited number of times, after a pause of random length.
 */
export function patience({ patienceMs }: Pick<Database, 'patienceMs'>): Again {
  let ends: number | null = null;
  let races = 0;
  return async (error) => {
    if (isLostRace(error)) {
      races += 1;
      await sleep(Math.random() * races * RACE_PAUSE_MS);
      return races < RACES;
    }
    if (!isConnectionLoss(error)) return false;
    ends ??= performance.now() + patienceMs;
    if (performance.now() > ends) return false;
    await sleep(RETRY_MS);
    return true;
  };
}
