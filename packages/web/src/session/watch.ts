import type { WatchLine } from '@bough/api/client';
import { readLines } from '@bough/api/client';
import { client } from './client.ts';
import { hearWatch } from './connection.ts';
import { refreshGateway } from './gateway.ts';
import { liveTurns } from './live.ts';
import { hearOpen, hearTurn } from './news.ts';
import { refreshListed, refreshOrder, refreshProject } from './queries.ts';
import { refreshTurns } from './refresh.ts';

/**
 * Follows what happens anywhere: turns of every project, and whatever changes in the one on the screen, which is then
 * read again: in another tab, on another server. Returns a function that stops it.
 */
export function watch(projectId: string | undefined): () => void {
  const stop = new AbortController();
  void follow(projectId, stop.signal);
  return () => stop.abort();
}

async function follow(projectId: string | undefined, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const response = await client.watch(projectId, signal);
      hearWatch(null);
      if (response.body === null) return;
      for await (const line of readLines<WatchLine>(response.body)) {
        attempt = 0;
        await hear(line, projectId);
      }
    } catch (error) {
      if (signal.aborted) return;
      hearWatch(error);
      console.debug('The watch was lost and is taken up again.', error);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(500 * 2 ** attempt, 15_000)));
  }
}

async function hear(line: WatchLine, projectId: string | undefined): Promise<void> {
  if (line.type === 'open') hearOpen(line.turns);
  if (line.type === 'turn') {
    hearTurn(line);
    if (line.status === 'running') await refreshOrder(line.projectId);
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
