import { openPostgresStore } from '@bough/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { hold } from '../held.ts';
import { Lane, newDataDir } from '../lane.ts';
import { untilLines } from '../moment.ts';
import { CUTS, startWire } from '../wire.ts';
import type { Scenario } from './scenario.ts';

const BURST = 20;

/** Every connection to the database is cut for a moment, again and again. */
export const cutConnections: Scenario = {
  name: 'cut-connections',
  what: 'all connections to the database cut for 50 to 500 ms, two to six times',
  stores: ['postgres'],
  conversations: [1, 5],
  writers: [0, 1],
  open: async (options) => {
    const dataDir = options.dataDir ?? (await newDataDir());
    // Held by this process, so that for the server behind the wire the database is an external one.
    const holder = await openPostgresStore({ dataDir });
    const forget = hold(() => holder.close());
    const wire = await startWire(dataDir);
    const lane = await Lane.open({ ...options, dataDir, servers: 1, env: { DATABASE_URL: wire.url } });
    return {
      lane,
      strike: async ({ random }) => {
        const at = performance.now();
        // Heavy reading leaves many idle connections behind: more of them than a write has attempts.
        const readers = Array.from({ length: BURST }, () => random.pick(lane.members).client);
        for (let cuts = random.between(2, 6); cuts > 0; cuts -= 1) {
          await Promise.allSettled(readers.map((client) => client.listProjects()));
          // The cost of a call is shown just before it is stored.
          if (random.chance(0.7)) await untilLines(lane, ({ type }) => type === 'usage', 1, 3_000);
          await wire.cut(random.pick(CUTS), random.between(50, 500), random.between(5, 80));
          await sleep(random.between(0, 900));
        }
        return { at, hit: [], findings: [] };
      },
      close: async () => {
        await wire.close();
        await holder.close();
        forget();
      },
    };
  },
};
