import { openPostgresStore } from '@bough/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { Lane, newDataDir } from '../lane.ts';
import { startWire } from '../wire.ts';
import type { Scenario } from './scenario.ts';

/** Every connection to the database is cut for a moment, again and again. */
export const cutConnections: Scenario = {
  name: 'cut-connections',
  what: 'all connections to the database cut for 50 to 500 ms, one to four times',
  stores: ['postgres'],
  writers: 3,
  open: async (options) => {
    const dataDir = options.dataDir ?? (await newDataDir());
    // Held by this process, so that the database is somebody else's for the server behind the wire.
    const holder = await openPostgresStore({ dataDir });
    const wire = await startWire(dataDir);
    const lane = await Lane.open({ ...options, dataDir, servers: 1, env: { DATABASE_URL: wire.url } });
    return {
      lane,
      strike: async ({ random }) => {
        const at = performance.now();
        for (let cuts = random.between(1, 4); cuts > 0; cuts -= 1) {
          await wire.cut(random.between(50, 500));
          await sleep(random.between(0, 900));
        }
        return { at, hit: [], findings: [] };
      },
      close: async () => {
        await wire.close();
        await holder.close();
      },
    };
  },
};
