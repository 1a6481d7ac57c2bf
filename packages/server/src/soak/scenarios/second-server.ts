import { setTimeout as sleep } from 'node:timers/promises';
import { Lane } from '../lane.ts';
import type { Scenario } from './scenario.ts';

/** Two servers on one database, one of which is killed: the other carries on, and later there are two again. */
export const secondServer: Scenario = {
  name: 'second-server',
  what: 'two servers on one database, `kill -9` of one',
  stores: ['postgres'],
  conversations: [4, 8],
  writers: [1, 3],
  open: async (options) => {
    const lane = await Lane.open({ ...options, servers: 2 });
    return {
      lane,
      strike: async ({ random }) => {
        const at = performance.now();
        const victim = random.pick(lane.members);
        await lane.kill(victim);
        // At once, or so late that the survivor has to do it all.
        if (random.chance(0.5)) await sleep(random.between(500, 4_000));
        await lane.start();
        return { at, hit: [victim], findings: [] };
      },
      close: () => Promise.resolve(),
    };
  },
};
