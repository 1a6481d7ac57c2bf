import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrashBackend } from '../contract/crash/backend.ts';
import { joinEmbeddedServer } from './embedded/index.ts';
import { openPostgresStore } from './index.ts';
import { everyProcess, firstProcess, kill } from './testing/processes.ts';

/** Kills the writer; by turns also PostgreSQL's first process, or all of its processes at once. */
function makeCrashBackend(): CrashBackend {
  let cluster = '';
  let kills = 0;
  return {
    writer: new URL('./programs/crash-writer.ts', import.meta.url),
    place: async () => {
      const location = await mkdtemp(join(tmpdir(), 'bough-crash-'));
      cluster = join(location, 'postgres', 'cluster');
      return {
        location,
        dispose: async () => {
          // Stops whatever the last kill left running.
          await (await joinEmbeddedServer({ dataDir: location })).leave();
          await rm(location, { recursive: true });
        },
      };
    },
    open: (dataDir) => openPostgresStore({ dataDir }),
    rounds: 9,
    kill: (writer) => {
      kills += 1;
      if (kills % 3 === 1) for (const pid of firstProcess(cluster)) kill(pid);
      if (kills % 3 === 2) for (const pid of everyProcess(cluster)) kill(pid);
      kill(writer);
    },
  };
}

export const crashBackend: CrashBackend = makeCrashBackend();
