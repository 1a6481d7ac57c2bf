import { readLines } from '@bough/api/client';
import { client } from './client.ts';
import { liveTurns } from './live.ts';
import { refreshListed, refreshProject } from './queries.ts';
import type { ChangeLine } from './refresh.ts';
import { refreshTurns } from './refresh.ts';

/**
 * Reads a project again whenever it changes anywhere: in another tab, on another server. Returns a function that stops
 * it.
 */
export function watchProject(projectId: string): () => void {
  const stop = new AbortController();
  void follow(projectId, stop.signal);
  return () => stop.abort();
}

async function follow(projectId: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const response = await client.watchProject(projectId, signal);
      if (response.body === null) return;
      for await (const line of readLines(response.body)) {
        attempt = 0;
        if (line.type === 'heartbeat') continue;
        const { turnIds }: ChangeLine = line as unknown as ChangeLine;
        // Whoever follows a turn reads what it adds.
        if (turnIds !== undefined) await liveTurns.expected();
        if (turnIds?.every((turnId) => liveTurns.covers(turnId)) === true) continue;
        await (turnIds === undefined ? refreshProject(projectId) : refreshTurns(projectId));
        await refreshListed(projectId);
      }
    } catch (error) {
      if (signal.aborted) return;
      console.debug('The watch of the project was lost and is taken up again.', error);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(500 * 2 ** attempt, 15_000)));
  }
}
