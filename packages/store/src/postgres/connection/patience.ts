import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './pool.ts';
import { isConnectionLoss, isLostRace } from './trouble.ts';

const RETRY_MS = 20;
const RACES = 5;

/** Whether work that failed is to be done again; resolves when it is time to. */
export type Again = (error: unknown) => Promise<boolean>;

/**
 * A lost connection is no fault of the work: it is done again as long as a server that is being started again is waited for, however many
 * connections die in that time. A lost race is done again a few times.
 */
export function patience({ patienceMs }: Pick<Database, 'patienceMs'>): Again {
  let ends: number | null = null;
  let races = 0;
  return async (error) => {
    if (isLostRace(error)) return (races += 1) < RACES;
    if (!isConnectionLoss(error)) return false;
    ends ??= performance.now() + patienceMs;
    if (performance.now() > ends) return false;
    await sleep(RETRY_MS);
    return true;
  };
}
