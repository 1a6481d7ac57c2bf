import { liveTurns } from './live.ts';

/**
 * Each is a connection, and a browser has six of them for everything: with eight answers read at once, whoever wants to
 * stop one would wait until most of them have ended.
 */
const MOST_FOLLOWED = 3;
let followed = 0;
const waiting: (() => void)[] = [];
const wakeNext = (): void => waiting.shift()?.();

/**
 * Reads one of several answers while it is made, once it is its turn; those that wait are read when others have ended.
 * Resolves when this one has ended, or is no longer wanted.
 */
export async function followInTurn(projectId: string, turnId: string, isWanted: () => boolean): Promise<void> {
  if (followed >= MOST_FOLLOWED && !liveTurns.covers(turnId)) {
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return followInTurn(projectId, turnId, isWanted);
  }
  if (!isWanted()) return wakeNext();
  if (liveTurns.covers(turnId)) {
    wakeNext();
    return liveTurns.ended(projectId, turnId);
  }
  followed += 1;
  try {
    await liveTurns.ended(projectId, turnId);
  } finally {
    followed -= 1;
    wakeNext();
  }
}
