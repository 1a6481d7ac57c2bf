import type { WatchLine } from '@bough/api/client';
import { readLines } from '@bough/api/client';
import { client } from './client.ts';
import { hearWatch } from './connection.ts';
import { isListening, onListening, passOn, startListening } from './listening.ts';
import { refreshGateway } from './gateway.ts';
import { liveTurns } from './live.ts';
import { hearOpen, hearTurn } from './news.ts';
import { readAgain, refreshListed, refreshOrder, refreshProject } from './queries.ts';
import { refreshTurns } from './refresh.ts';

/**
 * Follows what happens anywhere: turns of every project, and whatever changes in the one on the screen, which is then
 * read again: in another tab, on another server. Returns a function that stops it.
 */
export function watch(projectId: string | undefined): () => void {
  const stop = new AbortController();
  startListening(hearTurns);
  void follow(projectId, stop.signal);
  return () => stop.abort();
}

async function follow(projectId: string | undefined, stopped: AbortSignal): Promise<void> {
  let hasMissed = !isListening();
  for (let attempt = 0; !stopped.aborted; attempt += 1) {
    await untilListening(stopped);
    const pause = new AbortController();
    const stopLooking = onListening(() => {
      if (!isListening()) pause.abort();
    });
    try {
      const response = await client.watch(projectId, AbortSignal.any([stopped, pause.signal]));
      hearWatch(null);
      if (response.body === null) return;
      // Nobody told what changed while this tab did not listen.
      if (hasMissed) void readAgain(['projects']);
      if (hasMissed && projectId !== undefined) void refreshProject(projectId);
      hasMissed = true;
      for await (const line of readLines<WatchLine>(response.body)) {
        attempt = 0;
        passOn(line);
        await hear(line, projectId);
      }
    } catch (error) {
      if (stopped.aborted) return;
      if (pause.signal.aborted) continue;
      hearWatch(error);
      console.debug('The watch was lost and is taken up again.', error);
    } finally {
      stopLooking();
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(500 * 2 ** attempt, 15_000)));
  }
}

async function untilListening(stopped: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (!isListening() && !stopped.aborted) return;
      stopLooking();
      resolve();
    };
    const stopLooking = onListening(look);
    stopped.addEventListener('abort', look, { once: true });
    look();
  });
}

function hearTurns(line: WatchLine): void {
  if (line.type === 'open') hearOpen(line.turns);
  if (line.type === 'turn') hearTurn(line);
}

async function hear(line: WatchLine, projectId: string | undefined): Promise<void> {
  hearTurns(line);
  if (line.type === 'turn') {
    // Whatever its state: a short turn is over before the line about it is written, and no other one says that it ran.
    await refreshOrder(line.projectId);
    refreshGateway();
  }
  if (line.type !== 'changed' || projectId === undefined) return;
  const { turnIds } = line;
  // Whoever follows a turn reads what it adds.
  if (turnIds !== undefined) await liveTurns.expected();
  if (turnIds?.every((turnId) => liveTurns.covers(turnId)) === true) return;
  await (turnIds === undefined ? refreshProject(projectId) : refreshTurns(projectId));
  await refreshListed(projectId);
}
