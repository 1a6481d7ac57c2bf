import { join } from 'node:path';
import { killDatabase } from '../database-processes.ts';
import { Lane } from '../lane.ts';
import type { Scenario } from './scenario.ts';

/** PostgreSQL dies under a running server, which starts it again. */
export const database: Scenario = {
  name: 'database',
  what: 'all processes of PostgreSQL killed (`SIGKILL`, `SIGQUIT`) under a running server',
  stores: ['postgres'],
  conversations: [3, 6],
  writers: [4, 10],
  open: async (options) => {
    const lane = await Lane.open({ ...options, servers: 1 });
    return {
      lane,
      strike: async ({ random }) => {
        const at = performance.now();
        await killDatabase(join(lane.dataDir, 'postgres', 'cluster'), random.pick(['SIGKILL', 'SIGQUIT']));
        return { at, hit: [], findings: [] };
      },
      close: () => Promise.resolve(),
    };
  },
};
